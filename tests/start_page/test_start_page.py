"""The start page: what runs here and where to go, for whoever comes to the address of the service."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from cms_api.start_page import views
from core import __version__
from core.operation import health
from core.operation.health import HealthState, Look, Verdict
from tests.admin.markup import offences
from tests.factories import AdministratorFactory, SiteFactory
from tests.pages.sites import make_site

pytestmark = pytest.mark.django_db


def text(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def links(answer):
    return re.findall(r'<li><a href="([^"]+)"', answer.content.decode())


def test_it_leads_a_stranger_to_explorer_back_end_and_documentation(client, built):
    answer = client.get("/")
    assert answer.status_code == 200
    assert links(answer) == ["/api/docs/", "/admin/", "/docs/"]
    assert "make docs" not in text(answer)


def test_each_of_its_links_leads_to_a_page(client, built):
    found = links(client.get("/"))
    assert found
    for link in found:
        assert client.get(link, follow=True).status_code == 200, link


def test_it_says_how_documentation_that_is_not_there_is_built(client, not_built):
    answer = client.get("/")
    assert links(answer) == ["/api/docs/", "/admin/"]
    assert "<code>make docs</code>" in text(answer)


def test_it_does_not_lead_to_the_folder_of_a_site(client, built):
    SiteFactory(site_dir="docs")
    answer = client.get("/")
    assert "/docs/" not in links(answer)
    assert "belongs to a site" in text(answer)


def test_it_leads_to_the_website_of_the_root_site(client, not_built):
    make_site(site_dir="museum")
    assert links(client.get("/start/")) == ["/api/docs/", "/admin/"]
    make_site(site_dir="", is_root=True)
    assert links(client.get("/start/")) == ["/", "/api/docs/", "/admin/"]


def test_it_names_no_explorer_that_is_switched_off(client, settings):
    settings.CMS_EXPLORER = False
    assert "/api/docs" not in text(client.get("/"))


def test_it_has_the_address_of_the_api_and_a_first_line(client, settings):
    settings.ALLOWED_HOSTS = ["cms.example.org"]
    shown = text(client.get("/", headers={"Host": "cms.example.org"}, secure=True))
    assert ">https://cms.example.org/api/v1</code>" in shown
    line = (
        """curl -H "X-SS-API-KEY: &lt;API_KEY&gt;" -d '{"siteId": 1}' https://cms.example.org/api/v1/contents</code>"""
    )
    assert line in shown


def test_below_a_prefix_its_addresses_have_it(client, not_built, below_prefix):
    answer = client.get("/", **below_prefix)
    assert links(answer) == ["/cms/api/docs/", "/cms/admin/"]
    assert ">http://testserver/cms/api/v1</code>" in text(answer)


def test_it_says_that_the_service_is_ready(client):
    assert "The service is ready." in text(client.get("/"))


def test_it_says_that_the_service_is_not_ready_and_not_why(client, monkeypatch):
    monkeypatch.setattr(health, "_worker", SimpleNamespace(alive=False, nr=1, max_requests=1000))
    answer = client.get("/")
    assert answer.status_code == 200
    assert "The service is not ready." in text(answer)
    assert "shutting down" not in text(answer)


def test_without_its_database_the_page_asks_it_nothing(built, django_assert_num_queries):
    with django_assert_num_queries(0):
        failed = Verdict((Look("database", HealthState.FAILED, 1.0, ""),))
        assert (views._documentation(failed), views._website(failed)) == ("built", "")


def test_a_stranger_costs_no_statement_but_for_sites_of_these_addresses(client, built, django_assert_max_num_queries):
    with django_assert_max_num_queries(3):
        client.get("/")


@pytest.mark.parametrize("signed_in", [False, True])
def test_it_shows_no_version_but_its_own(client, signed_in):
    if signed_in:
        client.force_login(AdministratorFactory())
    page = text(client.get("/"))
    words = re.sub(r"<[^>]*>|https?://\S+", " ", page)
    assert re.findall(r"\d+(?:\.\d+)+", words) == [__version__]


def test_it_is_a_page_like_those_of_the_back_end(client, built):
    answer = client.get("/")
    assert offences(answer) == []
    assert "script-src 'self';" in answer["Content-Security-Policy"] + ";"
    assert "no-store" in answer["Cache-Control"]
    assert client.head("/").status_code == 200
    assert client.post("/").status_code == 405


def test_the_language_switch_leads_back_to_it(client):
    answer = client.post("/admin/language/", {"language": "zh-hans", "next": "/"}, follow=True)
    assert '<html lang="zh-hans"' in answer.content.decode()
    assert answer.request["PATH_INFO"] == "/"


def test_files_of_a_root_site_stay_where_they_were(client, built):
    site = SiteFactory(site_dir="", is_root=True)
    default_storage.save(f"sites/{site.pk}/index.html", ContentFile(b"<p>The root site</p>"))
    default_storage.save(f"sites/{site.pk}/docs/plan.txt", ContentFile(b"plan"))
    assert client.get("/index.html").getvalue() == b"<p>The root site</p>"
    assert client.get("/docs/plan.txt").getvalue() == b"plan"
    assert "The service is ready." in text(client.get("/"))


def test_what_make_docs_builds_is_what_is_served(settings):
    root = Path(__file__).resolve().parents[2]
    folder = re.search(r"^site_dir: (\w+)$", (root / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert root / folder == settings.DOCUMENTATION_ROOT
