"""Hosts of sites (`CMS_SITE_HOSTS`): they serve one site and nothing of the service."""

import re

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from core.lib.environment import read_site_hosts
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, SiteFactory
from tests.pages.sites import make_site, store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]

HOST = {"Host": "Museum.Example.org:8443"}
OWN = {"isSeparatedWeb": True, "separatedWebUrl": "https://museum.example.org"}


@pytest.fixture(params=["museum", "number"])
def site(request, settings):
    site = make_site(site_dir="museum", settings=OWN)
    settings.CMS_SITE_HOSTS = {"museum.example.org": str(site.pk) if request.param == "number" else "Museum"}
    settings.ALLOWED_HOSTS = ["testserver", "museum.example.org"]
    return site


@pytest.fixture
def below_folder(settings):
    site = make_site(site_dir="museum")
    settings.CMS_SITE_HOSTS = {"museum.example.org": "museum"}
    settings.ALLOWED_HOSTS = ["testserver", "museum.example.org"]
    return site


def get(client, path):
    return client.get(path, headers=HOST)


def test_pages_are_at_the_top_and_run_scripts_as_they_like(client, site):
    channel = ChannelFactory(site=site)
    answer = get(client, f"/channels/{channel.pk}.html")
    assert answer.status_code == 200
    assert "Content-Security-Policy" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not answer.cookies
    assert get(client, "/").status_code == get(client, "/index.html").status_code == 200
    assert get(client, "/museum/index.html").status_code == 404


@pytest.mark.parametrize("path,kind", [("logo.svg", "image/svg+xml"), ("a.png", "image/png"), ("main.css", "text/css")])
def test_files_are_at_the_top_without_a_sandbox(client, site, path, kind):
    store(site, f"files/{path}")
    answer = get(client, f"/files/{path}")
    assert answer.getvalue() == b"stored"
    assert answer.headers["Content-Type"].startswith(kind)
    assert "Content-Security-Policy" not in answer.headers


@each_once(
    ("path", [
    *("/admin/", "/admin/login/", "/api/v1/ping", "/api/v1/contents", "/api/docs/", "/api/v1/health/live", "/docs/"),
    *("/static/cms_admin/frame.css", "/media/avatars/default.png", "/start/", "/API/v1/ping", "/api/v1/metrics"),
]),
    ("method", ["get", "post"]),
)  # fmt: skip
def test_nothing_of_the_service_is_there(client, site, path, method):
    client.force_login(AdministratorFactory())
    answer = getattr(client, method)(path, headers=HOST)
    assert answer.status_code == (404 if method == "get" else 405)
    assert not answer.cookies
    assert b"static" not in answer.content and b"admin" not in answer.content


def test_files_of_other_sites_are_not_there(client, site):
    other = make_site(site_dir="other")
    name = store(other, "a.png")
    assert get(client, "/other/a.png").status_code == 404
    assert get(client, f"/media/{name}").status_code == 404


def test_the_service_s_hosts_do_not_serve_a_site_with_a_web_address_of_its_own(client, site):
    assert client.get("/index.html").status_code == 404
    assert client.get("/museum/index.html").status_code == 404
    assert client.get("/admin/login/").status_code == 200


def test_robots_and_sitemap_have_the_web_address_of_the_site(client, site):
    robots = get(client, "/robots.txt").content.decode()
    assert robots.endswith("\nSitemap: https://museum.example.org/sitemap.xml\n")
    assert b"<loc>https://museum.example.org/index.html</loc>" in get(client, "/sitemap.xml").getvalue()


def test_a_site_without_a_web_address_of_its_own_keeps_its_folder(client, below_folder):
    answer = get(client, "/museum/index.html")
    assert answer.status_code == 200
    assert "Content-Security-Policy" not in answer.headers
    assert get(client, "/").headers["Location"] == "/museum/"
    assert get(client, "/index.html").status_code == 404
    assert get(client, "/museumx").status_code == 404
    assert b"/museum/sitemap.xml" in get(client, "/robots.txt").content
    # On the service's hosts it is in a sandbox.
    assert client.get("/museum/index.html").headers["Content-Security-Policy"].startswith("sandbox ")


def test_the_address_of_a_separated_site_may_have_a_folder(client, site):
    site.settings = OWN | {"separatedWebUrl": "https://museum.example.org/arts/"}
    site.save()
    assert get(client, "/arts/index.html").status_code == 200
    assert get(client, "/arts").headers["Location"] == "/arts/"
    assert get(client, "/index.html").status_code == 404


def test_a_redirect_within_the_site_stays_on_its_host(client, site):
    channel = ChannelFactory(site=site, link_url="@/index.html")
    assert get(client, f"/channels/{channel.pk}.html").headers["Location"] == "/index.html"


def test_a_host_whose_site_does_not_exist_serves_nothing(client, settings):
    settings.CMS_SITE_HOSTS = {"museum.example.org": "none"}
    settings.ALLOWED_HOSTS = ["museum.example.org"]
    assert get(client, "/").status_code == 404
    assert get(client, "/admin/login/").status_code == 404


def test_a_host_whose_site_does_not_exist_is_a_warning_of_the_deployment_check(settings, site):
    settings.CMS_SITE_HOSTS = {"a.example": "MUSEUM", "b.example": str(site.pk)}
    settings.CMS_SITE_HOSTS |= {"c.example": "nosuch", "d.example": "987654321"}
    told = [message.msg for message in run_checks(include_deployment_checks=True) if message.id == "pages.W001"]
    assert [re.search("site '(.*)' for (.*), but there is no such site", each).groups() for each in told] == [
        ("nosuch", "c.example"),
        ("987654321", "d.example"),
    ]


def test_a_site_without_templates_has_its_files_only(client, settings):
    site = SiteFactory(site_dir="museum", settings=OWN)
    settings.CMS_SITE_HOSTS = {"museum.example.org": "museum"}
    settings.ALLOWED_HOSTS = ["museum.example.org"]
    store(site, "a.png")
    assert get(client, "/a.png").getvalue() == b"stored"
    assert get(client, "/").status_code == get(client, "/robots.txt").status_code == 404


def test_hosts_are_read_from_the_environment():
    entries = ["Museum.example.org=museum", "other.example.org = 2"]
    assert read_site_hosts("X", entries) == {"museum.example.org": "museum", "other.example.org": "2"}


@pytest.mark.parametrize("entries", [
    ["museum.example.org"],
    ["museum.example.org="],
    ["https://museum.example.org=museum"],
    ["museum.example.org:8000=museum"],
    ["*=museum"],
    ["museum.example.org=museum", "MUSEUM.example.org=other"],
])  # fmt: skip
def test_wrong_hosts_stop_the_start(entries):
    with pytest.raises(ImproperlyConfigured, match="CMS_SITE_HOSTS"):
        read_site_hosts("CMS_SITE_HOSTS", entries)
