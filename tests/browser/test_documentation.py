"""The documentation as the service serves it: its scripts run under its policy, and nothing comes from elsewhere."""

import re

import pytest
from playwright.sync_api import expect

from tools.servers import Installation

PAGES = ("", "index.html", "tutorial.html", "tutorial.zh.html", "tour.html", "reference/settings.html")


@pytest.fixture(scope="module")
def address(documentation, tmp_path_factory):
    """Where a server has the documentation of this tree."""
    installation = Installation(tmp_path_factory.mktemp("documentation"))
    settings = {
        "DJANGO_SETTINGS_MODULE": "tests.browser.documentation_settings",
        "CMS_TEST_DOCUMENTATION": str(documentation),
    }
    with installation.serve(**settings) as server:
        yield server.address


@pytest.mark.parametrize("place", PAGES)
def test_a_page_loads_whole_and_from_here_only(visit, address, place):
    with visit() as page:
        asked, failed = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
        page.goto(f"{address}/docs/{place}", wait_until="networkidle")
        expect(page.locator("h1").first).to_be_visible()
        assert [url for url in asked if not url.startswith((f"{address}/", "data:", "blob:"))] == []
        assert failed == []


def test_its_search_finds_a_page(visit, address):
    with visit() as page:
        page.goto(f"{address}/docs/")
        page.locator("input[name=query]").click()
        page.locator("input[name=query]").press_sequentially("restart")
        expect(page.locator(".md-search-result__item").first).to_be_visible()


def test_its_colours_can_be_changed(visit, address):
    with visit() as page:
        page.goto(f"{address}/docs/")
        before = page.locator("body").get_attribute("data-md-color-scheme")
        page.locator("label[for^=__palette]:visible").first.click()
        expect(page.locator("body")).not_to_have_attribute("data-md-color-scheme", before)


def test_the_start_page_leads_there(visit, address):
    with visit() as page:
        page.goto(f"{address}/start/")
        page.get_by_role("link", name="Documentation").click()
        expect(page).to_have_url(re.compile("/docs/$"))
        expect(page.locator("h1").first).to_be_visible()


@pytest.mark.parametrize("place", ["", "reference/settings.html"])
def test_a_page_leads_back_to_the_service(visit, address, place):
    with visit() as page:
        page.goto(f"{address}/docs/{place}")
        page.get_by_role("link", name="This service").click()
        expect(page).to_have_url(f"{address}/start/")


def test_on_a_phone_the_drawer_leads_back_to_the_service(visit, address):
    with visit(width=390, height=844) as page:
        page.goto(f"{address}/docs/")
        page.locator(".md-header label[for=__drawer]").click()
        page.get_by_role("link", name="This service").click()
        expect(page).to_have_url(f"{address}/start/")
