"""The language of the back end: that of the browser until another one is chosen; the API speaks English."""

import pytest
from django.http import StreamingHttpResponse
from django.utils.translation import get_language

from core.admin.middleware import AdminLanguage
from tests.factories import AdministratorFactory

SIGN_IN = "/admin/login/"


def language(answer):
    return answer.content.decode().split('<html lang="', 1)[1].split('"', 1)[0]


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        *[(name, "zh-hans") for name in ("zh", "zh-CN", "zh-Hans", "zh-hans-cn", "zh-SG", "zh-TW", "zh-CN,en;q=0.8")],
        *[(name, "de") for name in ("de", "de-AT", "fr,de;q=0.5")],
        *[(name, "en") for name in ("en", "en-GB", "fr", "", "en-US,zh-CN;q=0.9", "x" * 600, "zh_CN; nonsense")],
    ],
)
@pytest.mark.django_db
def test_it_is_that_of_the_browser(client, asked, spoken):
    assert language(client.get(SIGN_IN, headers={"Accept-Language": asked})) == spoken


@pytest.mark.django_db
def test_it_can_be_chosen_and_stays(client):
    answer = client.post("/admin/language/", {"language": "zh-hans", "next": SIGN_IN})
    assert (answer.status_code, answer["Location"]) == (302, SIGN_IN)
    assert language(client.get(SIGN_IN, headers={"Accept-Language": "en"})) == "zh-hans"
    client.post("/admin/language/", {"language": "en", "next": SIGN_IN})
    assert language(client.get(SIGN_IN, headers={"Accept-Language": "zh"})) == "en"


def test_its_cookie_is_for_this_service_only(client):
    cookie = client.post("/admin/language/", {"language": "zh-hans"}).cookies["cms_language"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")


@pytest.mark.django_db
@pytest.mark.parametrize("chosen", ["fr", "", "zh-hans\r\nX: y", "../zh"])
def test_a_language_that_there_is_not_changes_nothing(client, chosen):
    client.post("/admin/language/", {"language": chosen, "next": SIGN_IN})
    assert language(client.get(SIGN_IN)) == "en"


@pytest.mark.parametrize("place", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_it_leads_to_no_other_host(client, place):
    answer = client.post("/admin/language/", {"language": "zh-hans", "next": place})
    assert answer["Location"] == "/"


@pytest.mark.django_db
def test_the_api_speaks_english_after_a_chinese_page_of_the_same_thread(client, stranger):
    assert language(client.get(SIGN_IN, headers={"Accept-Language": "zh"})) == "zh-hans"
    answer = stranger.get("/api/v1/sites/1", headers={"Accept-Language": "zh-CN"})
    assert answer.json()["message"].isascii()
    assert "Content-Language" not in answer.headers


@pytest.mark.django_db
def test_a_refused_sign_in_is_told_in_the_language_of_the_page(client):
    answer = client.post(SIGN_IN, {"username": "nobody", "password": "x"}, headers={"Accept-Language": "zh-CN"})
    (told,) = answer.context["form"].non_field_errors()
    assert told == "账号或密码错误，或者该账号已被锁定。"


@pytest.mark.django_db
def test_a_limited_sign_in_says_in_how_many_minutes(client, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 1
    for _ in range(2):
        answer = client.post(SIGN_IN, {"username": "limited", "password": "x"})
    (told,) = answer.context["form"].non_field_errors()
    assert told == "Too many attempts have failed. Try again in 15 minutes."


@pytest.mark.django_db
def test_pages_differ_by_language_and_say_so(client):
    answer = client.get(SIGN_IN, headers={"Accept-Language": "zh-CN"})
    assert answer["Content-Language"] == "zh-hans"
    assert "Accept-Language" in answer["Vary"]


@pytest.mark.parametrize("asked", ["en", "zh-CN"])
@pytest.mark.django_db
def test_scripts_of_the_pages_speak_it_too(client, asked):
    client.force_login(AdministratorFactory())
    script = client.get("/admin/jsi18n/", headers={"Accept-Language": asked}).content.decode()
    assert ('"\\u4eca\\u5929"' in script or "今天" in script) == (asked == "zh-CN")


def test_what_is_written_while_it_is_sent_is_in_the_language_of_the_page(rf):
    middleware = AdminLanguage(lambda request: StreamingHttpResponse(get_language() for _ in range(2)))
    answer = middleware(rf.get("/admin/", headers={"Accept-Language": "zh-CN"}))
    assert get_language() == "en"
    assert b"".join(answer.streaming_content) == b"zh-hanszh-hans"
    assert get_language() == "en"


def test_media_know_no_language(client):
    answer = client.get("/media/avatars/default.png", headers={"Accept-Language": "zh-CN"})
    assert "Content-Language" not in answer.headers
    assert "Vary" not in answer.headers
