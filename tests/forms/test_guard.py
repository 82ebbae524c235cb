"""Tokens of forms, proofs of work, captchas, and words of spam."""

import json
import re
from base64 import b64decode, b64encode

import altcha
import pytest
from django.core.signing import Signer
from django.test import Client
from django.test.utils import freeze_time

from core import captcha
from forms.guard import LEAST, SECONDS
from forms.models import Entry, Field, Form
from forms.receiving import PER_MINUTE, WITH_TOKEN
from forms.spam_words import has_spam_word
from pages.engine.elements.forms import TRAP
from tests.contents.threads import at_once
from tests.counting import started_redis_server
from tests.pages.sites import make_site
from tests.worlds import world

__all__ = ["started_redis_server"]
pytestmark = pytest.mark.django_db
START = 1_800_000_000
STRICT = ("proof", "captcha")


@world
def form():
    form = Form.objects.create(site=make_site(site_dir="museum"), name="Visit")
    Field.objects.create(form=form, key="name", label="Name", is_required=True)
    Field.objects.create(form=form, key="days", label="Days", kind="checkbox", choices=["Monday", "Tuesday"])
    return form


def guarded(form, guard):
    form.guard = guard
    form.save()
    return form


def offered(client, form, at=START, **headers):
    with freeze_time(at):
        return client.get(f"/museum/_forms/{form.pk}/token", **headers).json()


def solved(answer):
    solution = altcha.solve_challenge(altcha.Challenge.from_dict(answer["proof"]))
    return altcha.Payload(altcha.Challenge.from_dict(answer["proof"]), solution).to_base64()


def read(form, token):
    """What the picture shows."""
    return captcha.characters(f"form {form.pk}", token)


def tokened(form, answer):
    """The members that a script adds for the form's protection."""
    members = {"_token": answer["token"]}
    if "proof" in answer:
        members["_proof"] = solved(answer)
    if "captcha" in answer:
        members["_captcha"] = read(form, answer["token"])
    return members


def send(client, form, members, at=START + LEAST, **headers):
    with freeze_time(at):
        address = f"/museum/_forms/{form.pk}"
        return client.post(address, {"name": "Ann"} | members, headers={"accept": "application/json"}, **headers)


def told(response):
    return (response.status_code, response.json().get("code", ""))


@pytest.mark.parametrize("guard", Form.Guard.values)
def test_a_script_of_any_origin_gets_a_token_and_sends_with_it(client, form, guard):
    guarded(form, guard)
    response = client.get(f"/museum/_forms/{form.pk}/token", HTTP_ORIGIN="null")
    assert response.headers["Cache-Control"] == "no-store" and not response.cookies
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    answer = offered(client, form)
    assert set(answer) == {"token", "wait", *({guard} & set(STRICT))}
    assert answer["wait"] == (0 if guard == "off" else LEAST)
    assert told(send(client, form, tokened(form, answer), HTTP_ORIGIN="null")) == (200, "")
    assert Entry.objects.get().state == "new"


@pytest.mark.parametrize("guard", Form.Guard.values)
def test_without_a_token_strict_forms_refuse_and_say_why(client, form, guard):
    response = send(client, guarded(form, guard), {})
    assert told(response) == ((400, "form_token_missing") if guard in STRICT else (200, ""))
    assert Entry.objects.count() == (guard not in STRICT)


@pytest.fixture(params=["database", "redis"])
def counts(request, settings):
    """Used tokens are kept there."""
    settings.CMS_CACHE_URL = request.getfixturevalue("redis_server").url if request.param == "redis" else ""


@pytest.mark.usefixtures("counts")
@pytest.mark.parametrize("guard", Form.Guard.values)
def test_a_token_serves_once(client, form, guard):
    members = tokened(guarded(form, guard), offered(client, form))
    first = send(client, form, members)
    assert send(client, form, members).json() == first.json()  # the same entry, as with two clicks
    assert told(send(client, form, members | {"name": "Bob"})) == (400, "form_token_invalid")
    assert Entry.objects.count() == 1


def forged(token):
    number, _, rest = token.partition(".")
    return f"{int(number) + 1}.{rest}"


@pytest.mark.parametrize(
    "alter",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        forged,
        lambda token: token.replace(str(START), str(START - 9)),
        lambda token: Signer(salt="other").sign(token.partition(":")[0]),
        lambda token: "x",
        lambda token: "\u0660\ud7ff:" * 1_000,
    ],
    ids=["signature", "form", "time", "salt", "nonsense", "long"],
)
@pytest.mark.parametrize("guard", ["basic", "proof"])
def test_an_altered_token_is_refused(client, form, guard, alter):
    members = tokened(guarded(form, guard), offered(client, form))
    sent = members | {"_token": alter(members["_token"])}
    assert told(send(client, form, sent)) == (400, "form_token_invalid")
    assert told(send(client, form, members)) == (200, "")  # it did not use up the right one


def test_a_token_of_another_form_is_refused(client, form):
    other = Form.objects.create(site=form.site, name="Other")
    answer = offered(client, other)
    assert told(send(client, form, {"_token": answer["token"]})) == (400, "form_token_invalid")


@pytest.mark.parametrize(
    ("later", "code"),
    [
        (0, "form_too_early"),
        (LEAST - 1, "form_too_early"),
        (LEAST, ""),
        (SECONDS - 1, ""),
        (SECONDS, "form_token_invalid"),
        (-30, "form_too_early"),  # clocks of nodes differ a little
        (-3_600, "form_token_invalid"),  # the clock was set back
        (86_400, "form_token_invalid"),
    ],
)
@pytest.mark.parametrize("guard", ["basic", "captcha"])
def test_a_token_counts_from_three_seconds_to_half_an_hour(client, form, guard, later, code):
    members = tokened(guarded(form, guard), offered(client, form))
    assert told(send(client, form, members, START + later)) == (400 if code else 200, code)


def test_whoever_was_too_early_sends_the_same_again(client, form):
    members = tokened(guarded(form, "captcha"), offered(client, form))
    send(client, form, members, START)
    assert told(send(client, form, members)) == (200, "")


def test_mistakes_do_not_use_up_a_token(client, form):
    members = tokened(guarded(form, "captcha"), offered(client, form))
    assert told(send(client, form, members | {"name": ""})) == (400, "form_invalid")
    assert told(send(client, form, members)) == (200, "")


def test_a_proof_is_of_its_token(client, form):
    first, second = (offered(client, guarded(form, "proof")) for _ in range(2))
    swapped = {"_token": first["token"], "_proof": solved(second)}
    assert told(send(client, form, swapped)) == (400, "form_proof_wrong")
    assert not Entry.objects.exists()


def easier(challenge):
    challenge["parameters"] |= {"cost": 1, "keyPrefix": "00"}


def of_another(challenge):
    challenge["parameters"]["data"] = {"token": "other"}


@pytest.mark.parametrize(
    "proof",
    ["", "x", "e30=", b64encode(b"[" * 10_000).decode(), easier, of_another],
    ids=["none", "text", "empty", "deep", "easier", "other"],
)
def test_a_proof_must_be_solved(client, form, proof):
    answer = offered(client, guarded(form, "proof"))
    if callable(proof):
        proof(answer["proof"])
        proof = solved(answer)
    members = {"_token": answer["token"], "_proof": proof}
    assert told(send(client, form, members)) == (400, "form_proof_wrong")
    assert not Entry.objects.exists()


def test_a_wrong_number_is_no_proof(client, form):
    answer = offered(client, guarded(form, "proof"))
    payload = json.loads(b64decode(solved(answer)))
    payload["solution"]["derivedKey"] = "00" * 32
    members = {"_token": answer["token"], "_proof": b64encode(json.dumps(payload).encode()).decode()}
    assert told(send(client, form, members)) == (400, "form_proof_wrong")


def sum_in(html):
    return sum(int(number) for number in re.search(r"the sum of (\d+) and (\d+):", html).groups())


def test_the_picture_or_the_sum_is_answered(client, form):
    guarded(form, "captcha")
    for number, change in enumerate([str.lower, str.upper, lambda text: f" {text} "]):
        answer = offered(client, form)
        members = {"_token": answer["token"], "_captcha": change(read(form, answer["token"])), "name": str(number)}
        assert told(send(client, form, members)) == (200, "")
    answer = offered(client, form)
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in str(sum_in(answer["captcha"])))  # of a Chinese keyboard
    assert told(send(client, form, {"_token": answer["token"], "_captcha": wide})) == (200, "")
    assert Entry.objects.count() == 4


def test_a_wrong_answer_uses_up_the_picture_but_none_does_not(client, form):
    answer = offered(client, guarded(form, "captcha"))
    token = {"_token": answer["token"]}
    assert told(send(client, form, token)) == (400, "form_captcha_wrong")
    assert told(send(client, form, token | {"_captcha": "12"})) == (400, "form_captcha_wrong")
    right = token | {"_captcha": read(form, answer["token"])}
    assert told(send(client, form, right)) == (400, "form_token_invalid")
    assert not Entry.objects.exists()


def hidden_token(html):
    return re.search(r'name="_token" value="([^"]+)"', html)[1]


@pytest.mark.parametrize("guard", STRICT)
def test_without_scripts_one_more_step_sends(client, form, guard):
    address = f"/museum/_forms/{guarded(form, guard).pk}"
    sent = {"name": '"Ann"', "days": ["Monday"], "_page": "/museum/visit.html"}
    with freeze_time(START):
        response = client.post(address, sent)
    page = response.content.decode()
    assert response.status_code == 200 and not Entry.objects.exists() and "no-store" in response.headers.values()
    assert 'value="&quot;Ann&quot;"' in page and 'value="Monday" checked' in page and 'value="Tuesday">' in page
    assert 'src="data:image/png;base64,' in page and 'alt="Picture with characters"' in page
    sent |= {"_token": hidden_token(page), "_captcha": str(sum_in(page))}
    with freeze_time(START + 1):
        early = client.post(address, sent).content.decode()
    assert hidden_token(early) == sent["_token"] and f'name="_captcha" value="{sent["_captcha"]}"' in early
    with freeze_time(START + LEAST):
        assert client.post(address, sent).status_code == 303
    assert list(Entry.objects.get().values.values()) == ['"Ann"', ["Monday"]]


def test_after_a_wrong_answer_the_page_has_another_picture(client, form):
    address = f"/museum/_forms/{guarded(form, 'captcha').pk}"
    with freeze_time(START):
        token = hidden_token(client.get(address).content.decode())
    with freeze_time(START + LEAST):
        response = client.post(address, {"name": "Ann", "_token": token, "_captcha": "12"})
    page = response.content.decode()
    assert response.status_code == 400 and hidden_token(page) != token and 'value="Ann"' in page
    number = f"form_{form.pk}__captcha_msg"
    assert f'value="" autocomplete="off" required aria-invalid="true" aria-describedby="{number}"' in page
    assert f'<small id="{number}">Enter the characters of the picture, or the sum.</small>' in page


def test_without_scripts_a_form_with_basic_protection_needs_no_further_step(client, form):
    response = client.post(f"/museum/_forms/{form.pk}", {"name": "Ann"})
    assert response.status_code == 303
    assert 'name="_token"' not in client.get(f"/museum/_forms/{form.pk}").content.decode()


@pytest.mark.parametrize("guard", STRICT)
def test_robots_that_fill_the_trap_learn_nothing(client, form, guard):
    assert told(send(client, guarded(form, guard), {TRAP: "x"})) == (200, "")
    assert Entry.objects.get().state == "spam"


def test_with_a_token_a_network_may_send_more(client, form):
    def statuses(members, count):
        return [
            send(client, form, members() | {"name": f"{members.__name__} {number}"}).status_code
            for number in range(count)
        ]

    def without():
        return {}

    def given():
        return {"_token": offered(client, form)["token"]}

    assert statuses(without, PER_MINUTE + 1) == [200] * PER_MINUTE + [429]
    most = PER_MINUTE * WITH_TOKEN
    assert statuses(given, most + 1) == [200] * most + [429]


def test_senders_without_tokens_do_not_use_up_what_others_may_send(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.OF_ALL", 2)
    statuses = [send(client, form, {"name": f"{n}"}, REMOTE_ADDR=f"192.0.2.{n}").status_code for n in range(3)]
    token = {"_token": offered(client, form)["token"]}
    assert [*statuses, send(client, form, token, REMOTE_ADDR="192.0.2.9").status_code] == [200, 200, 429, 200]


@pytest.mark.parametrize("guard", Form.Guard.values)
def test_former_addresses_have_the_same_protection(client, form, guard):
    guarded(form, guard)
    sent = client.post(f"/api/ss.form/{form.site_id}/{form.pk}", {"Name": "Ann"})
    frame = client.post(f"/api/stl/actions/input_add/{form.site_id}/{form.pk}", {"name": "Bob"}).content.decode()
    if guard in STRICT:
        assert (sent.status_code, Entry.objects.count()) == (400, 0)
        assert "protected from spam" in sent.json()["message"] and "protected from spam" in frame
        members = tokened(form, offered(client, form))
        with freeze_time(START + LEAST):
            sent = client.post(f"/api/ss.form/{form.site_id}/{form.pk}", {"Name": "Ann"} | members)
        assert (sent.status_code, Entry.objects.count()) == (200, 1) and "_token" not in sent.json()
    else:
        assert (sent.status_code, Entry.objects.count()) == (200, 2) and '"isSuccess":true' in frame


@pytest.mark.parametrize("path", ["{other}/token", "99999999999999999999/token"])
def test_forms_of_other_sites_give_no_tokens(client, form, path):
    other = Form.objects.create(site=make_site(site_dir="elsewhere"), name="Other")
    assert client.get(f"/museum/_forms/{path.format(other=other.pk)}").status_code == 404
    assert client.post(f"/museum/_forms/{form.pk}/token").status_code == 405


def test_the_solver_is_a_script_of_any_origin(client, form):
    response = client.get("/museum/_forms/proof.js", HTTP_ORIGIN="null")
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert response.headers["Access-Control-Allow-Origin"] == "*" and b"export const solve" in response.content


@pytest.mark.usefixtures("counts")
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_with_one_token_one_is_stored():
    form = Form.objects.create(site=make_site(site_dir="museum"), name="Visit", guard="captcha")
    Field.objects.create(form=form, key="name", label="Name")
    members = tokened(form, offered(Client(), form))
    with freeze_time(START + LEAST):
        answers = at_once(
            None,
            *(
                lambda _api, name=name: Client().post(
                    f"/museum/_forms/{form.pk}", members | {"name": name}, headers={"accept": "application/json"}
                )
                for name in ("Ann", "Bob")
            ),
        )
    assert sorted(told(answer) for answer in answers) == [(200, ""), (400, "form_token_invalid")]
    assert Entry.objects.count() == 1


@pytest.mark.parametrize(
    ("lines", "text", "expected"),
    [
        ("casino", "A Casino!", True),
        ("casino", "casinos", False),
        ("casino", "Ｃａｓｉｎｏ", True),
        ("casino", "ca\u200bsi\u00adno", True),
        ("casino", "玩casino吧", True),
        ("straße", "STRASSE", True),
        ("free  money", "free\nmoney now", True),
        ("free money", "free of money", False),
        ("加微信", "请加微信号", True),
        ("加微信", "请加 微信", False),
        ("加vx", "请加VX", True),
        ("加vx", "请加vxy", False),
        ("바카라", "바카라를", True),
        ("c++", "vitamin C", False),
        ("c++", "C++", True),
        ("t.me/", "see https://t.me/x", True),
        ("💰", "win 💰", True),
        ("\n \n", "anything", False),
        ("one\r\ntwo\n", "say two", True),
    ],
)
def test_words_of_spam_are_whole_or_without_blanks_between(lines, text, expected):
    assert has_spam_word(lines, ["other", text]) is expected


@pytest.mark.parametrize("guard", Form.Guard.values)
@pytest.mark.parametrize("words", [{"name": "big CASINO"}, {"days": ["Monday", "Tuesday"]}], ids=["text", "choice"])
def test_an_entry_with_a_word_of_spam_is_kept_apart(client, form, guard, words):
    form.blocked_words = "casino\r\ntuesday"
    guarded(form, guard)
    spam, other = tokened(form, offered(client, form)), tokened(form, offered(client, form))
    answers = [send(client, form, spam | words), send(client, form, other)]
    assert answers[0].json().keys() == answers[1].json().keys() == {"id", "message"}
    assert list(Entry.objects.order_by("pk").values_list("state", flat=True)) == ["spam", "new"]


def test_a_long_list_and_a_long_text_take_no_time():
    lines, text = "\n".join("a" * length for length in range(1, 140)), "a " * 100_000
    assert has_spam_word(lines, [text]) and not has_spam_word("x" + lines.replace("a", "ab"), [text])
