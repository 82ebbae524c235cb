"""Errors of the back end are told in its own look and both languages, without details."""

import html
import re
from io import BytesIO

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.test import Client
from django.urls import path

from cms_api import urls
from tests.factories import AdministratorFactory

CHINESE = {"Accept-Language": "zh-CN"}


def refuse(request):
    raise PermissionDenied("harbour secret")


def doubt(request):
    raise SuspiciousOperation("harbour secret")


def fail(request):
    raise RuntimeError("harbour secret")


urlpatterns = [
    path("admin/refused/", refuse),
    path("admin/doubted/", doubt),
    path("admin/failing/", fail),
    *urls.urlpatterns,
]
handler403, handler404 = urls.handler403, urls.handler404
PAGES = [
    ("/admin/refused/", 403, "You may not do this", "您不能执行此操作"),
    ("/admin/doubted/", 400, "The request cannot be read", "无法读取该请求"),
    ("/admin/failing/", 500, "Something went wrong", "这里出错了"),
    ("/nothing/harbour", 404, "Page not found", "页面不存在"),
]


@pytest.mark.urls(__name__)
@pytest.mark.django_db
@pytest.mark.parametrize(("place", "status", "english", "chinese"), PAGES)
@pytest.mark.parametrize("is_chinese", [False, True])
def test_an_error_is_told_without_details(place, status, english, chinese, is_chinese):
    answer = Client(raise_request_exception=False).get(place, headers=CHINESE if is_chinese else {})
    page = answer.content.decode()
    assert answer.status_code == status
    assert f"<h1>{chinese if is_chinese else english}</h1>" in page
    assert f'<html lang="{"zh-hans" if is_chinese else "en"}"' in page
    assert not any(word in page for word in ("secret", "Traceback", "RuntimeError", "harbour"))
    assert "script-src 'self'" in answer["Content-Security-Policy"]


@pytest.mark.urls(__name__)
@pytest.mark.django_db
@pytest.mark.parametrize("place", ["/admin/refused/", "/admin/nothing/"])
def test_whoever_is_signed_in_keeps_the_menu(highest, place):
    parts = ['id="menu"', 'class="account-menu"', "theme-toggle", "/admin/language/", "Go to the start page"]
    page = highest.get(place).content.decode()
    assert [part for part in parts if part not in page] == []
    assert 'id="menu"' not in Client().get(place, follow=True).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("place", "status"), [("/nothing", 404), ("/admin/login/", 400), ("/admin/nothing/", 400)])
def test_a_form_that_cannot_be_read_is_no_error_of_the_service(place, status):
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    assert browser.generic("POST", place, b"x", content_type="multipart/form-data").status_code == status


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["/", "/admin/login/", "/nothing"])
def test_a_wrong_host_is_one_line_in_the_log_and_no_error(caplog, place):
    assert Client().get(place, headers={"Host": "other.example"}).status_code == 400
    (record,) = caplog.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "'other.example'" in record.getMessage()


def test_each_of_djangos_refusals_is_one_line():
    kinds = [SuspiciousOperation, *subclasses(SuspiciousOperation)]
    names = {f"django.security.{kind.__name__}" for kind in kinds if kind.__module__.startswith("django.")}
    assert names == {name for name in settings.LOGGING["loggers"] if name.startswith("django.security.")}


def subclasses(kind):
    for each in kind.__subclasses__():
        yield from (each, *subclasses(each))


@pytest.mark.urls(__name__)
@pytest.mark.django_db
@pytest.mark.parametrize(("place", "has_trace"), [("/admin/refused/", False), ("/admin/failing/", True)])
def test_a_refusal_is_one_line_in_the_log(caplog, place, has_trace):
    Client(raise_request_exception=False).get(place)
    (record,) = [each for each in caplog.records if each.name == "django.request"]
    assert place in record.getMessage()
    assert bool(record.exc_info) == has_trace


@pytest.mark.parametrize(("headers", "told"), [({}, "The form is too old"), (CHINESE, "表单已过期")])
def test_a_forged_form_is_told_too(headers, told):
    answer = Client(enforce_csrf_checks=True).post("/admin/language/", {"language": "en"}, headers=headers)
    assert answer.status_code == 403
    assert f"<h1>{told}</h1>" in answer.content.decode()
    assert "CSRF" not in answer.content.decode()


HERE = "http://testserver"
# As a browser sends them with a form of our own.
OWN = {
    "Origin": HERE,
    "Referer": f"{HERE}/admin/auth/group/add/",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
}
TYPED = {
    "name": 'Editors & "co"',
    "text": "one\ntwo",
    "rights": ["1", "2"],
    "own_password": "harbour-21",
    "again": "harbour-21",
    "_save": "Save",
}


def send_old_form(headers, sent=TYPED, **further):
    client = Client(enforce_csrf_checks=True)
    client.force_login(AdministratorFactory())
    client.get("/admin/account/")
    token = {"csrfmiddlewaretoken": "a" * 64}
    return client, client.post("/admin/auth/group/add/?kind=1", token | sent, headers=headers, **further)


@pytest.mark.django_db
def test_an_old_form_of_our_own_can_be_sent_again_with_its_values_in_sight_but_for_passwords():
    client, answer = send_old_form(OWN)
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "harbour-21" not in page
    (form,) = [each for each in re.findall(r"<form.*?</form>", page, re.DOTALL) if "sent-again" in each]
    assert 'action="/admin/auth/group/add/?kind=1"' in form
    inputs = [dict(re.findall(r'(\w+)="([^"]*)"', each)) for each in re.findall(r"<input[^>]*>", form, re.DOTALL)]
    sent = [(each["name"], html.unescape(each.get("value", ""))) for each in inputs]
    expected = [("name", TYPED["name"]), ("text", TYPED["text"]), ("rights", "1"), ("rights", "2"), ("_save", "Save")]
    assert sent[1:] == [*expected, ("again", ""), ("own_password", "")]
    assert "<dt>rights</dt><dd>2</dd>" in form
    token = dict(sent)["csrfmiddlewaretoken"]
    sent = {"name": "Editors", "csrfmiddlewaretoken": token}
    assert client.post("/admin/auth/group/add/?kind=1", sent, headers=OWN).status_code != 403


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Referer": f"{HERE}/news/index.html"},
        {"Referer": "http://evil.example/admin/"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_what_another_page_has_written_is_not_offered(headers):
    page = send_old_form(OWN | headers if headers else {})[1].content.decode()
    assert "Editors" not in page
    assert "sent-again" not in page


@pytest.mark.django_db
def test_a_form_with_a_file_and_one_of_a_visitor_are_not_offered():
    assert "sent-again" not in send_old_form(OWN, {"file": BytesIO(b"a")})[1].content.decode()
    answer = Client(enforce_csrf_checks=True).post(
        "/admin/auth/group/add/", TYPED | {"csrfmiddlewaretoken": "a" * 64}, headers=OWN
    )
    assert (answer.status_code, "sent-again" in answer.content.decode()) == (403, False)


@pytest.mark.django_db
def test_a_script_is_told_in_words():
    answer = send_old_form(OWN | {"Sec-Fetch-Mode": "cors"})[1]
    assert (answer.status_code, list(answer.json())) == (403, ["message"])


def test_an_unknown_host_learns_nothing(client):
    answer = client.get("/admin/login/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400
    assert "elsewhere" not in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["/admin/accounts/user/999/change/", "/admin/nothing/", "/admin/accounts/nothing/"])
def test_what_is_not_there_leads_back(highest, place):
    answer = highest.get(place, follow=True)
    assert answer.status_code in {200, 404}
    assert b'href="/admin/"' in answer.content


@pytest.mark.parametrize(
    "query", ["audit/auditentry/?actor=%00", "accounts/userlog/?action=a%00", "?q=%00", "login/?x=%00"]
)
def test_a_query_with_a_nul_is_refused(highest, query):
    answer = highest.get(f"/admin/{query}")
    assert answer.status_code == 400
