"""`_account/…`: users sign in to a site, register, and look after their account, on the site's own host."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils.crypto import get_random_string
from django.utils.http import urlsafe_base64_encode

from accounts import password_reset
from accounts.models import User, UserLog
from core.mail.models import OutgoingMail
from members import sessions
from pages.models import TemplateKind
from tests.factories import UserFactory
from tests.pages.sites import make_site, make_template

pytestmark = pytest.mark.django_db
PASSWORD, OTHER = "river7stone", "cloud9field"
HOSTS = {"museum.example.org": "museum", "zoo.example.org": "zoo"}


@pytest.fixture(autouse=True)
def sites(settings):
    settings.CMS_SITE_HOSTS, settings.ALLOWED_HOSTS = HOSTS, ["testserver", *HOSTS]
    own = {"isSeparatedWeb": True}
    return [
        make_site(site_dir=folder, settings=own | {"separatedWebUrl": f"https://{host}"})
        for host, folder in HOSTS.items()
    ]


@pytest.fixture
def ann():
    user = UserFactory(user_name="ann", display_name="Ann", email="ann@example.org")
    user.set_password(PASSWORD)
    user.save()
    return user


class Visitor:
    """A browser at the host of a site, which sends forms with the token of the page."""

    def __init__(self, host="museum.example.org"):
        self.client = Client(enforce_csrf_checks=True, headers={"host": host, "accept-language": "en"})

    def get(self, path):
        return self.client.get(f"/_account/{path}")

    def send(self, path, **values):
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path).content.decode())[1]
        return self.client.post(f"/_account/{path}", values | {"csrfmiddlewaretoken": token})

    def sign_in(self, account="ann", password=PASSWORD, **values):
        return self.send("sign-in", account=account, password=password, **values)

    @property
    def me(self):
        return self.get("me").json()["user"]


def problems(response):
    assert response.status_code == 400
    return re.findall(r'<ul class="errorlist[^>]*><li>([^<]+)</li>', response.content.decode())


def test_a_user_signs_in_goes_on_where_they_came_from_and_signs_out(ann):
    visitor = Visitor()
    assert visitor.me is None
    answer = visitor.sign_in(next="/news/1.html")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/news/1.html")
    cookie = answer.cookies["cms_member"]
    assert (cookie["httponly"], cookie["samesite"], cookie["domain"], cookie["path"]) == (True, "Lax", "", "/")
    assert visitor.me == {"userName": "ann", "displayName": "Ann"}
    assert UserLog.objects.filter(user=ann).count() == 1
    value = visitor.client.cookies["cms_member"].value
    assert visitor.send("sign-out").headers["Location"] == "/"
    assert visitor.me is None
    visitor.client.cookies["cms_member"] = value  # a copy is worth nothing any more
    assert visitor.me is None


@pytest.mark.parametrize(
    "next", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1", "/a\nb"]
)
def test_nobody_is_sent_to_another_host(ann, next):
    assert Visitor().sign_in(next=next).headers["Location"] == "/_account/profile"


def test_a_wrong_password_an_unknown_name_and_a_locked_user_look_the_same(ann):
    UserFactory(user_name="bob", is_locked_out=True)
    told = {tuple(problems(Visitor().sign_in(name, "wrong1word"))) for name in ("ann", "bob", "carl")}
    assert told == {("The account or the password is wrong, or the account is locked.",)}


def test_a_session_is_of_one_site_and_of_no_api(ann, sites, client):
    visitor = Visitor()
    visitor.sign_in()
    token = visitor.client.cookies["cms_member"].value
    elsewhere = Visitor("zoo.example.org")
    elsewhere.client.cookies["cms_member"] = token
    assert elsewhere.me is None
    answer = client.get(f"/api/v1/users/{ann.pk}", headers={"X-SS-USER-TOKEN": token})
    assert answer.status_code == 401
    own = client.post(
        "/api/v1/users/actions/login", {"account": "ann", "password": PASSWORD}, content_type="application/json"
    )
    visitor.client.cookies["cms_member"] = own.json()["accessToken"]
    assert visitor.me is None


def test_there_are_no_such_pages_where_sites_share_the_host_of_the_admin(client, ann):
    for path in ("sign-in", "register", "profile", "password", "sign-out", "me"):
        assert client.get(f"/museum/_account/{path}").status_code == 404
        assert client.post(f"/museum/_account/{path}", {"account": "ann", "password": PASSWORD}).status_code in {
            404,
            405,
        }


@pytest.mark.parametrize("how", ["no token", "token of another", "other origin"])
def test_another_page_cannot_send_the_forms(ann, how):
    visitor = Visitor()
    visitor.sign_in()
    token = re.search(r'value="(\w{60,})"', visitor.get("profile").content.decode())[1]
    other = Visitor()
    values = {
        "no token": {},
        "token of another": {
            "csrfmiddlewaretoken": re.search(r'value="(\w{60,})"', other.get("sign-in").content.decode())[1]
        },
        "other origin": {"csrfmiddlewaretoken": token},
    }[how]
    headers = {"origin": "https://evil.example"} if how == "other origin" else {}
    answer = visitor.client.post("/_account/profile", values | {"display_name": "Eve"}, headers=headers)
    assert answer.status_code == 400
    assert "Send it again" in answer.content.decode()
    assert 'value="Eve"' in answer.content.decode()  # nothing has to be typed again
    ann.refresh_from_db()
    assert ann.display_name == "Ann"


def test_locking_a_user_or_a_new_password_ends_the_sessions(ann):
    here, there = Visitor(), Visitor()
    here.sign_in()
    there.sign_in()
    assert problems(here.send("password", current="wrong1word", password=OTHER, again=OTHER))
    assert problems(here.send("password", current=PASSWORD, password=OTHER, again="differs1"))
    assert here.send("password", current=PASSWORD, password=OTHER, again=OTHER).status_code == 303
    assert here.me and there.me is None
    assert there.sign_in(password=OTHER).status_code == 303
    User.objects.filter(pk=ann.pk).update(is_locked_out=True)
    assert here.me is None
    assert here.get("profile").headers["Location"] == "/_account/sign-in"


def test_the_profile_changes_what_was_typed_and_nothing_else(ann):
    UserFactory(user_name="bob", email="bob@example.org")
    visitor = Visitor()
    visitor.sign_in()
    shown = {"display_name": "Anna", "email": "ann@example.org"}
    User.objects.filter(pk=ann.pk).update(count_of_writing=7)
    assert visitor.send("profile", **shown, is_checked="", user_name="root").status_code == 303
    ann.refresh_from_db()
    assert (ann.display_name, ann.user_name, ann.is_checked, ann.count_of_writing) == ("Anna", "ann", True, 7)
    assert "already has this" in problems(visitor.send("profile", **shown | {"email": "bob@example.org"}))[0]


@pytest.mark.parametrize("setting,status,signed_in", [("approved", 303, True), ("pending", 200, False)])
def test_a_visitor_registers(settings, setting, status, signed_in):
    settings.CMS_REGISTRATION = setting
    visitor = Visitor()
    values = {"user_name": "dora", "email": "d@example.org", "password": PASSWORD, "again": PASSWORD}
    assert problems(visitor.send("register", **values | {"again": OTHER})) == ["The two passwords differ."]
    assert problems(visitor.send("register", **values | {"password": "short", "again": "short"}))
    assert not User.objects.exists()
    answer = visitor.send("register", **values, is_checked="on", count_of_writing="9")
    user = User.objects.get()
    assert (answer.status_code, user.is_checked, user.count_of_writing) == (status, signed_in, 0)
    assert bool(visitor.me) == signed_in
    assert "already has this" in problems(Visitor().send("register", **values))[0]


def test_registration_is_off_unless_the_setting_allows_it(settings):
    settings.CMS_REGISTRATION = "off"
    assert Visitor().get("register").status_code == 404
    assert "register" not in Visitor().get("sign-in").content.decode()


def test_a_forgotten_password_is_set_by_email_once(ann, settings, monkeypatch):
    settings.CMS_EMAIL_URL = "smtp://localhost"
    monkeypatch.setattr(password_reset, "_PREFIX", get_random_string(12))  # a Redis server remembers other tests
    visitor = Visitor()
    for email in ("ANN@example.org", "nobody@example.org"):
        assert "an email is on its way" in visitor.send("forgotten-password", email=email).content.decode()
    password_reset.answer_asked()
    (mail,) = OutgoingMail.objects.all()
    assert mail.recipient == "ann@example.org"
    number, token = re.search(r"http://museum\.example\.org/_account/new-password/(\w+)/([\w-]+)", mail.text).groups()
    path = f"new-password/{number}/{token}"
    assert problems(visitor.send(path, password="short", again="short"))
    assert visitor.send(path, password=OTHER, again=OTHER).headers["Location"] == "/_account/sign-in"
    assert "no longer valid" in visitor.get(path).content.decode()
    assert visitor.sign_in(password=OTHER).status_code == 303


@pytest.mark.parametrize("change", ["locked", "other password", "other user", "altered"])
def test_an_email_for_a_new_password_is_worth_nothing_after_a_change(ann, change):
    token, number = password_reset.user_tokens.make_token(ann), ann.pk
    if change == "locked":
        User.objects.filter(pk=ann.pk).update(is_locked_out=True)
    elif change == "other password":
        ann.set_password(OTHER)
        ann.save()
    elif change == "other user":
        number = UserFactory().pk
    else:
        token = f"{token[:-1]}{'0' if token[-1] != '0' else '1'}"
    path = f"new-password/{urlsafe_base64_encode(str(number).encode())}/{token}"
    assert "no longer valid" in Visitor().get(path).content.decode()


def test_a_theme_shows_the_pages_in_its_own(sites):
    text = "<html><body class=theme><stl:account></stl:account></body></html>"
    make_template(sites[0], TemplateKind.FILE, page_path="account.html", extension=".html", text=text)
    shown = Visitor().get("sign-in").content.decode()
    assert "<body class=theme><section" in shown and 'name="password"' in shown


def test_no_cache_and_no_frame_gets_a_page(ann):
    headers = Visitor().get("sign-in").headers
    assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY"


def test_the_cookie_needs_https_where_the_service_does(settings):
    settings.SESSION_COOKIE_SECURE = True
    response = HttpResponse()
    sessions.begin(response, UserFactory(), 1)
    assert response.cookies["cms_member"]["secure"]
