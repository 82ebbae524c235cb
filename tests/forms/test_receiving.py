"""`_forms/<id>`: what visitors send."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib import clock
from forms.models import MAX_CHARACTERS, Entry, Field, Form
from forms.patterns import compiles, finds
from forms.receiving import MAX_LINKS, PER_MINUTE
from forms.retention import delete_old
from forms.rules import RULE_TYPES, problem_of
from forms.views import MAX_BYTES
from pages.engine.elements.forms import TRAP
from tests.factories import SiteFactory
from tests.pages.sites import make_site
from tests.worlds import world

pytestmark = pytest.mark.django_db
GOOD = {"name": "Ann", "mail": "ann@example.org", "days": ["Monday", "Friday"], "_page": "/museum/visit.html"}


@world
def form():
    form = Form.objects.create(site=make_site(site_dir="museum"), name="Visit", title="Book a visit")
    for key, kind, choices in (
        ("name", "text", []),
        ("mail", "email", []),
        ("days", "checkbox", ["Monday", "Friday"]),
        ("remark", "textarea", []),
    ):
        Field.objects.create(form=form, key=key, label=key, kind=kind, choices=choices, is_required=key == "name")
    Field.objects.create(form=form, key="secret", label="secret", is_visible=False)
    return form


def send(client, form, values, *, json=True, **headers):
    accept = {"HTTP_ACCEPT": "application/json"} if json else {}
    return client.post(f"/museum/_forms/{form.pk}", values, **accept, **headers)


def values_of(entry):
    keys = dict(entry.form.fields.values_list("pk", "key"))
    return {keys[int(pk)]: value for pk, value in entry.values.items()}


def test_a_browser_without_scripts_gets_a_page_and_the_way_back(client, form):
    response = send(client, form, GOOD, json=False)
    entry = Entry.objects.get()
    assert values_of(entry) == {"name": "Ann", "mail": "ann@example.org", "days": ["Monday", "Friday"]}
    assert (entry.state, entry.page) == ("new", "/museum/visit.html")
    assert response.status_code == 303
    shown = client.get(response.headers["Location"], headers={"accept-language": "zh-hans"}).content.decode()
    assert "Book a visit" in shown and 'href="/museum/visit.html"' in shown and 'lang="zh-hans"' in shown


def test_a_script_gets_the_number_of_the_entry_from_any_origin_without_cookies(client, form):
    form.success_text = "See you!"
    form.save()
    response = send(client, form, GOOD, HTTP_ORIGIN="null")
    assert response.json() == {"id": str(Entry.objects.get().token), "message": "See you!"}
    assert response.headers["Access-Control-Allow-Origin"] == "*" and not response.cookies
    asked = client.options(f"/museum/_forms/{form.pk}", HTTP_ORIGIN="null")
    assert (asked.status_code, asked.headers["Access-Control-Allow-Headers"]) == (204, "Content-Type")
    sent = client.post(f"/museum/_forms/{form.pk}", {"NAME": "Bob", "days": "Friday"}, "application/json")
    assert sent.status_code == 200 and values_of(Entry.objects.latest("pk")) == {"name": "Bob", "days": ["Friday"]}


def test_mistakes_are_told_and_nothing_has_to_be_typed_again(client, form):
    wrong = {"mail": 'x">', "days": "Sunday", "remark": "</textarea><script>alert(1)</script>"}
    errors = send(client, form, wrong).json()["errors"]
    assert errors.keys() == {"name", "mail", "days"} and errors["name"] == "This is required."
    response = send(client, form, wrong, json=False)
    shown = response.content.decode()
    assert response.status_code == 400 and not Entry.objects.exists()
    number = f"form_{form.pk}_mail"
    assert f'value="x&quot;&gt;" id="{number}" name="mail" aria-describedby="{number}_msg" aria-invalid="true"' in shown
    assert "&lt;/textarea&gt;&lt;script&gt;alert(1)" in shown and "<script>alert" not in shown


def test_names_that_are_no_shown_field_are_dropped(client, form):
    send(client, form, GOOD | {"secret": "x", "isReplied": "true", "reply": "forged", "state": "read", "id": "7"})
    entry = Entry.objects.get()
    assert values_of(entry).keys() == {"name", "mail", "days"} and (entry.state, entry.reply) == ("new", "")


@pytest.mark.parametrize(
    "change",
    [{"is_open": False}, {"closes_at": timedelta(minutes=-1)}, {"opens_at": timedelta(minutes=1)}],
    ids=["closed", "over", "early"],
)
def test_a_form_takes_entries_only_while_it_is_open(client, form, change):
    Form.objects.update(**{name: clock.now() + to if isinstance(to, timedelta) else to for name, to in change.items()})
    response = send(client, form, GOOD)
    assert (response.status_code, response.json()["message"]) == (400, "This form is closed.")
    assert b"<input" not in client.get(f"/museum/_forms/{form.pk}").content
    assert not Entry.objects.exists()


def test_a_form_that_is_deleted_meanwhile_is_closed(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.count", lambda *given: Form.objects.all().delete())
    assert send(client, form, GOOD).json()["code"] == "form_closed"


@pytest.mark.parametrize("path", ["/museum/_forms/{other}", "/museum/_forms/99999999999999999999", "/museum/_forms/0"])
def test_forms_of_other_sites_do_not_exist_here(client, form, path):
    other = Form.objects.create(site=SiteFactory(site_dir="elsewhere"), name="Other")
    assert client.post(path.format(other=other.pk), GOOD).status_code == 404


def test_pages_take_no_posts_and_forms_no_other_methods(client, form):
    assert client.post("/museum/index.html", GOOD).status_code == 405
    assert client.put(f"/museum/_forms/{form.pk}", GOOD).status_code == 405
    assert client.get(f"/museum/_forms/{form.pk}").status_code == 200


@pytest.mark.parametrize("spam", [{TRAP: "x"}, {"remark": "http://a " * (MAX_LINKS + 1)}], ids=["trap", "links"])
def test_spam_is_kept_apart_and_looks_like_success(client, form, spam):
    assert send(client, form, GOOD | spam).json().keys() == send(client, form, GOOD | {"name": "Eve"}).json().keys()
    assert list(Entry.objects.order_by("pk").values_list("state", flat=True)) == ["spam", "new"]


def test_equal_entries_within_minutes_are_one(client, form, monkeypatch):
    first, again = (send(client, form, GOOD).json()["id"] for _ in range(2))
    assert first == again and Entry.objects.count() == 1
    Entry.objects.update(created_at=clock.now() - timedelta(minutes=11))
    assert send(client, form, GOOD).json()["id"] != first


def test_equal_values_of_others_are_entries_of_their_own_also_after_spam(client, form):
    send(client, form, GOOD | {TRAP: "x"})
    tokens = {send(client, form, GOOD, REMOTE_ADDR=f"192.0.2.{number}").json()["id"] for number in (1, 2)}
    tokens.add(send(client, form, GOOD).json()["id"])
    assert len(tokens) == 3
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["new", "new", "new", "spam"]


def test_what_tells_equal_entries_apart_is_forgotten(client, form):
    send(client, form, GOOD)
    delete_old()
    assert Entry.objects.exclude(digest="").count() == 1
    Entry.objects.update(created_at=clock.now() - timedelta(minutes=11))
    delete_old()
    assert Entry.objects.exclude(digest="").count() == 0


def test_a_network_can_send_a_few_entries_in_a_minute(client, form):
    for number in range(PER_MINUTE):
        assert send(client, form, GOOD | {"name": f"Ann {number}"}).status_code == 200
    refused = send(client, form, GOOD | {"name": "more"})
    assert refused.status_code == 429 and 1 <= int(refused.headers["Retry-After"]) <= 60
    assert send(client, form, GOOD | {"name": "more"}, REMOTE_ADDR="2001:db8::1").status_code == 200
    assert send(client, form, GOOD, json=False).status_code == 429


def test_all_networks_together_have_a_limit(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.OF_ALL", 3)
    statuses = [
        send(client, form, GOOD | {"name": str(number)}, REMOTE_ADDR=f"192.0.2.{number}").status_code
        for number in range(4)
    ]
    assert statuses == [200, 200, 200, 429]


def test_spam_does_not_use_up_what_all_may_send(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.OF_ALL", 2)
    for number in range(4):
        sent = GOOD | {TRAP: "x", "name": str(number)}
        assert send(client, form, sent, REMOTE_ADDR=f"192.0.2.{number}").status_code == 200
    assert Entry.objects.count() == 2
    assert send(client, form, GOOD, REMOTE_ADDR="192.0.2.9").status_code == 200


def test_one_network_does_not_use_up_what_all_may_send(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.OF_ALL", PER_MINUTE + 1)
    for number in range(PER_MINUTE + 5):
        send(client, form, GOOD | {"name": str(number)})
    assert send(client, form, GOOD | {"name": "other"}, REMOTE_ADDR="192.0.2.1").status_code == 200


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"name=" + b"x" * MAX_BYTES, "application/x-www-form-urlencoded", 400),
        (b'{"name": ["\x00"', "application/json", 400),
        (b'["name"]', "application/json", 400),
        (b"name=x", "application/x-www-form-urlencoded; charset=latin-1", 400),
        (b'{"name": {"a": [[[]]]}}', "application/json", 400),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x", 400),
        (b"--x", "multipart/form-data; boundary=" + "x" * 300, 400),
        (b"&".join(b"a%d=1" % n for n in range(2000)), "application/x-www-form-urlencoded", 400),
        (b"name=" + b"x" * 10_001, "application/x-www-form-urlencoded", 400),
        (b"", "application/x-www-form-urlencoded", 400),
    ],
)
def test_hostile_bodies_are_refused(client, form, body, kind, status):
    response = client.generic("POST", f"/museum/_forms/{form.pk}", body, kind, HTTP_ACCEPT="application/json")
    assert response.status_code == status and response.json()["message"]
    assert not Entry.objects.exists()


def test_characters_that_databases_refuse_are_left_out(client, form):
    body = b"name=A%00nn%ed%a0%80&remark=a%0d%0ab%07"
    assert (
        client.generic("POST", f"/museum/_forms/{form.pk}", body, "application/x-www-form-urlencoded").status_code
        == 303
    )
    assert values_of(Entry.objects.get()) == {"name": "Ann\ufffd\ufffd\ufffd", "remark": "a\nb"}


@pytest.mark.parametrize("page", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/a\nb"])
def test_the_way_back_stays_on_the_site(client, form, page):
    assert "page" not in send(client, form, GOOD | {"_page": page}, json=False).headers["Location"]
    assert "evil" not in client.get(f"/museum/_forms/{form.pk}/sent", {"page": page}).content.decode()


# By rule: a value that it accepts, and one that it refuses; rules with a bound have 3.
VALUES = {
    "Email": ("a@b.org", "a@b"),
    "Url": ("https://b.org/x", "javascript:x"),
    "Mobile": ("13812345678", "12812345678"),
    "Phone": ("+49 (30) 123-45", "12"),
    "Chinese": ("王小明", "王a"),
    "Alpha": ("abc", "a1"),
    "AlphaDash": ("a-b_1", "a b"),
    "AlphaNum": ("a1", "a-1"),
    "AlphaSpaces": ("a b", "a1"),
    "Integer": ("-12", "1.5"),
    "Decimal": ("1.5", "1e5"),
    "Digits": ("012", "0123"),
    "Zip": ("100000", "10000"),
    "IdCard": ("11010519491231002X", "110105194912310021"),
    "Min": ("abc", "ab"),
    "Max": ("abc", "abcd"),
    "MinValue": ("3", "2.9"),
    "MaxValue": ("3", "inf"),
    "Regex": ("a3", "4"),
}


@pytest.mark.parametrize("name", RULE_TYPES)
def test_a_rule_accepts_and_refuses(name):
    accepted, refused = VALUES[name]
    field = Field(kind="text", rules=[{"type": name, "value": "3"}])
    assert problem_of(field, accepted, 100) == ""
    assert problem_of(field, refused, 100) != ""
    field.rules[0]["message"] = "Own words"
    assert problem_of(field, refused, 100) == "Own words"


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"^[A-Z]{2}\d+$", "AB12", "xAB12"),
        (r"\d", "a1", "a"),
        (r"^[\u4e00-\u9fa5]+$", "张三", "张3"),
        (r"^\\u4e00$", "\\u4e00", "一"),
    ],
)
def test_a_pattern_is_searched_for_as_in_browsers(pattern, accepted, refused):
    assert finds(pattern, accepted) and not finds(pattern, refused)


@pytest.mark.parametrize(
    "pattern", ["(", "(?=a)", r"(a)\1", "a{9999}", "a" * 501, "\ud800", "(((a{1,30}){1,30}){1,30})"]
)
def test_some_patterns_do_not_compile_and_refuse_nothing(pattern):
    assert not compiles(pattern) and finds(pattern, "b")


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)*$", "(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_no_pattern_and_value_take_long(pattern):
    # A backtracking engine would take years.
    assert not finds(pattern, "a" * MAX_CHARACTERS + "!")


@given(st.text(), st.sampled_from(sorted(RULE_TYPES)), st.text(max_size=3))
def test_no_value_makes_a_rule_fail(value, name, bound):
    assert isinstance(problem_of(Field(kind="text", rules=[{"type": name, "value": bound}]), value, 100), str)
