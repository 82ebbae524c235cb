"""Captchas: pictures that people read; each is answered once, by the browser that got it."""

from urllib.parse import quote

import pytest
from django.test.utils import freeze_time

from core import captcha
from tests.accounts.picture_files import opened
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once

pytestmark = pytest.mark.django_db
NAME = "LOGIN-CAPTCHA"
START = 1_800_000_000


def picture(client, name=NAME, query="", **options):
    return client.get(f"/api/v1/captcha/{quote(name, safe='')}{query}", **options)


def check(client, answer, name=NAME, **options):
    return client.post(f"/api/v1/captcha/{quote(name, safe='')}/actions/check", {"captcha": answer}, **options)


def cookie(client, name=NAME):
    return client.cookies[f"SS-{quote(name, safe='')}"]


def read(client, name=NAME):
    """What a person reads in the last picture."""
    return captcha.characters(name, cookie(client, name).value)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/octet-stream", "application/octet-stream"),
        ("application/vnd.siteserver+json; version=1", "image/png"),
        ("image/*,*/*;q=0.8", "image/png"),
    ],
)
def test_the_picture_has_the_type_that_accept_prefers(client, accept, expected):
    response = picture(client, headers={"Accept": accept})
    assert response.headers["Content-Type"] == expected
    assert response.content.startswith(b"\x89PNG")


def other(text):
    """A wrong answer."""
    return ("C" if text[0] == "A" else "A") + text[1:]


def test_the_picture_is_a_png_that_nobody_keeps(stranger):
    response = picture(stranger)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Pragma"] == "no-cache"
    drawn = opened(response.content)
    assert (drawn.format, drawn.size, drawn.info) == ("PNG", (130, 53), {})


def test_a_head_has_the_headers_of_a_get(stranger):
    response = stranger.generic("HEAD", f"/api/v1/captcha/{NAME}")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["Content-Type"] == "image/png"
    assert int(response.headers["Content-Length"]) > 1000


def test_what_defeats_caches_is_ignored_and_each_picture_is_another(stranger):
    pictures = {picture(stranger, query=query).content for query in ("?r=1590000000000", "?1590000000000", "")}
    assert len(pictures) == 3


def test_one_token_is_drawn_anew_each_time():
    token = captcha.new_token(NAME)
    assert captcha.draw(NAME, token) != captcha.draw(NAME, token)


def test_every_character_is_one_that_can_be_told_apart():
    shown = "".join(captcha.characters(NAME, captcha.new_token(NAME)) for _ in range(500))
    assert set(shown) == set(captcha.ALPHABET)
    assert not set(captcha.ALPHABET) & set("0OQD1IL2Z5S8BGUV") - {"L"}
    assert len(shown) == 500 * 4


def test_every_character_stands_out_from_the_paper():
    for _ in range(20):
        drawn = opened(captcha.draw(NAME, captcha.new_token(NAME))).convert("L")
        assert sum(drawn.histogram()[:110]) > 500  # dark pixels
        assert drawn.getextrema()[1] > 240


def test_the_cookie_is_out_of_reach_for_scripts_and_lasts_ten_minutes(stranger):
    picture(stranger)
    kept = cookie(stranger)
    assert (kept["httponly"], kept["max-age"], kept["path"]) == (True, 600, "/")
    assert (kept["secure"], kept["samesite"]) == ("", "")


def test_through_https_pages_of_other_origins_may_send_the_cookie(stranger):
    picture(stranger, secure=True)
    kept = cookie(stranger)
    assert (kept["secure"], kept["samesite"], kept["httponly"]) == (True, "None", True)
    check(stranger, "", secure=True)
    taken = cookie(stranger)
    assert (taken.value, taken["max-age"], taken["secure"], taken["samesite"]) == ("", 0, True, "None")


def test_the_cookie_does_not_tell_the_characters(stranger, settings):
    picture(stranger)
    token, shown = cookie(stranger).value, read(stranger)
    settings.SECRET_KEY = "another secret key"
    assert captcha.characters(NAME, token) != shown


def test_a_page_of_another_origin_may_read_the_answer(stranger):
    origin = {"Origin": "https://forms.example"}
    for response in (picture(stranger, headers=origin), check(stranger, "", headers=origin)):
        assert response.headers["Access-Control-Allow-Origin"] == "https://forms.example"
        assert response.headers["Access-Control-Allow-Credentials"] == "true"


@pytest.mark.parametrize("change", [str, str.lower, str.upper, lambda text: f" {text} "])
def test_the_right_answer_is_true_in_any_letter_case(stranger, change):
    picture(stranger)
    response = check(stranger, change(read(stranger)))
    assert (response.status_code, response.json()) == (200, {"value": True})


def test_the_member_is_read_in_any_letter_case(stranger):
    picture(stranger)
    response = stranger.post(f"/api/v1/captcha/{NAME}/actions/check", {"Captcha": read(stranger), "x": 1})
    assert response.json() == {"value": True}


@pytest.mark.parametrize("answer", ["", "ABCDE", "A", "中文", " ", "\ufb00", "A" * 10_000])
def test_a_wrong_answer_is_400(stranger, answer):
    picture(stranger)
    assert_error(check(stranger, answer), 400, "captcha_wrong")


@pytest.mark.parametrize("answer", [7439, ["A"], {"a": 1}, True])
def test_an_answer_that_is_no_text_is_400(stranger, answer):
    picture(stranger)
    assert check(stranger, answer).status_code == 400


@pytest.mark.parametrize("body", [{}, {"captcha": None}, {"captch": "ABCD"}, {"captcha": ["A"]}, ["A"]])
def test_a_check_without_an_answer_does_not_use_the_captcha_up(stranger, body):
    picture(stranger)
    token = cookie(stranger).value
    response = stranger.post(f"/api/v1/captcha/{NAME}/actions/check", body)
    assert response.status_code == 400
    assert not response.cookies
    assert cookie(stranger).value == token
    assert check(stranger, read(stranger)).json() == {"value": True}


@pytest.mark.parametrize("body", [{}, {"captcha": None}])
def test_an_answer_that_is_missing_is_named(stranger, body):
    picture(stranger)
    refused = assert_error(stranger.post(f"/api/v1/captcha/{NAME}/actions/check", body), 400, "missing_member")
    assert refused["member"] == "captcha"


def test_a_body_that_is_no_object_is_400(stranger):
    picture(stranger)
    assert_error(stranger.send("POST", f"/api/v1/captcha/{NAME}/actions/check", b"captcha=abcd"), 400)


@pytest.mark.parametrize("right", [True, False])
def test_a_check_uses_the_captcha_up_whatever_the_outcome(stranger, right):
    picture(stranger)
    token, shown = cookie(stranger).value, read(stranger)
    assert check(stranger, shown if right else other(shown)).status_code == (200 if right else 400)
    assert cookie(stranger).value == ""
    stranger.cookies[f"SS-{NAME}"] = token  # whoever keeps the cookie gains nothing
    assert_error(check(stranger, shown), 400, "captcha_expired")


def test_without_a_cookie_it_is_400(stranger):
    assert_error(check(stranger, "ABCD"), 400, "captcha_expired")


def test_after_ten_minutes_it_is_400(stranger):
    with freeze_time(START):
        picture(stranger)
    with freeze_time(START + captcha.SECONDS - 1):
        assert captcha.check(NAME, cookie(stranger).value, read(stranger)) is None
    with freeze_time(START):
        picture(stranger)
    with freeze_time(START + captcha.SECONDS + 1):
        assert_error(check(stranger, read(stranger)), 400, "captcha_expired")


def test_the_last_picture_counts(stranger):
    picture(stranger)
    first = read(stranger)
    picture(stranger)
    assert first != read(stranger)
    assert check(stranger, read(stranger)).status_code == 200


@pytest.mark.parametrize("place", [0, 10, 22, 25, 30, -1])
def test_a_forged_cookie_is_400(stranger, place):
    picture(stranger)
    token, shown = cookie(stranger).value, read(stranger)
    letter = "A" if token[place] != "A" else "Q"
    stranger.cookies[f"SS-{NAME}"] = token[:place] + letter + (token[place:][1:])
    assert_error(check(stranger, shown), 400, "captcha_expired")


@pytest.mark.parametrize("forged", ["x", "a:b:c", ":::", "\xe9", "%00", "a" * 4000])
def test_a_cookie_of_nonsense_is_400(stranger, forged):
    response = stranger.post(
        f"/api/v1/captcha/{NAME}/actions/check", {"captcha": "A"}, headers={"Cookie": f"SS-{NAME}={forged}"}
    )
    assert_error(response, 400, "captcha_expired")


def test_a_captcha_of_another_name_is_400(stranger):
    picture(stranger, "REGISTER-CAPTCHA")
    token, shown = cookie(stranger, "REGISTER-CAPTCHA").value, read(stranger, "REGISTER-CAPTCHA")
    stranger.cookies[f"SS-{NAME}"] = token
    assert_error(check(stranger, shown), 400, "captcha_expired")
    assert_error(check(stranger, captcha.characters(NAME, token)), 400, "captcha_expired")


def test_captchas_of_two_names_are_answered_apart(stranger):
    for name in ("a", "b"):
        picture(stranger, name)
    for name in ("a", "b"):
        assert check(stranger, read(stranger, name), name).status_code == 200


NAMES = [
    "yzm",
    "FORM-CAPTCHA",
    "a.b_c~d",
    "登录验证码",
    "a b",
    "a;b=c,d",
    "é",
    "a\"b'",
    "x" * 64,
    "图" * 64,
    "%",
    "a+b",
    "$@:",
    "\0",
    "🐠",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_64_characters_works(stranger, name):
    response = picture(stranger, name)
    assert response.status_code == 200
    assert response.cookies.output().isascii()
    assert check(stranger, read(stranger, name), name).json() == {"value": True}


@pytest.mark.parametrize("name", ["x" * 65, "图" * 65])
def test_a_longer_name_is_400(stranger, name):
    assert "64" in assert_error(picture(stranger, name), 400, "captcha_name_too_long")["message"]
    refused = check(stranger, "ABCD", name)
    assert_error(refused, 400, "captcha_name_too_long")
    assert not refused.cookies


def test_a_good_and_a_bad_key_do_no_harm(api):
    for client in (api, ApiClient("nonsense")):
        picture(client)
        assert check(client, read(client)).json() == {"value": True}


def test_nothing_is_stored_when_a_captcha_is_drawn(stranger, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert picture(stranger).status_code == 200


@pytest.mark.parametrize("token", ["", "forged"])
def test_nothing_is_stored_for_what_this_service_did_not_sign(stranger, django_assert_num_queries, token):
    stranger.cookies[f"SS-{NAME}"] = token
    with django_assert_num_queries(0):
        check(stranger, "ABCD")


@pytest.mark.django_db(transaction=True)
def test_of_checks_at_once_one_succeeds(stranger):
    picture(stranger)
    token, shown = cookie(stranger).value, read(stranger)
    headers = {"Cookie": f"SS-{NAME}={token}"}
    answers = at_once(None, *[lambda client: check(client, shown, headers=headers)] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
