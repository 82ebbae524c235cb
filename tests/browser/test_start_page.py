"""The start page in a real browser: copying, both languages and colours, a phone, and no barrier."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import LOOKS, barriers
from tests.browser.test_frame import SMALL, TOO_WIDE
from tools.browser import LANGUAGES


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_address_and_line_can_be_copied(visit, desk):
    with visit() as page:
        page.goto("/start/")
        page.get_by_role("button", name="Copy the URL").click()
        expect(page.locator("#copied")).to_have_text("Copied")
        assert copied(page) == f"{desk.address}/api/v1"
        page.get_by_role("button", name="Copy the line").click()
        expect(page.locator("#copied")).to_have_text("Copied")
        assert copied(page).endswith(f"{desk.address}/api/v1/contents")


def test_it_leads_to_the_explorer_and_to_the_sign_in_page(visit):
    with visit() as page:
        page.goto("/start/")
        expect(page.get_by_text("The service is ready.")).to_be_visible()
        page.get_by_role("link", name="API explorer").click()
        expect(page).to_have_url(re.compile("/api/docs/$"))
        page.go_back()
        page.get_by_role("link", name="Admin Write and approve").click()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def test_the_language_is_switched_there(visit):
    with visit() as page:
        page.goto("/start/")
        page.get_by_role("button", name="中文").click()
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        expect(page).to_have_url(re.compile("^[^/]+//[^/]+/start/$"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phone_shows_it_without_scrolling_sideways_and_with_room_for_fingers(visit, language):
    with visit(language, width=390, height=844) as page:
        page.goto("/start/")
        assert (page.evaluate(TOO_WIDE), page.evaluate(SMALL)) == (0, [])


@pytest.mark.parametrize(("language", "colours"), LOOKS)
def test_it_is_open_to_all(chromium, desk, language, colours):
    # Without `visit`, which hears what axe causes.
    context = chromium.new_context(base_url=desk.address, locale=LANGUAGES[language], color_scheme=colours)
    page = context.new_page()
    page.goto("/start/")
    found = barriers(page)
    context.close()
    assert found == []
