"""The explorer in a real browser: a key is pasted, and contents are listed, created, changed and deleted."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import LANGUAGES
from tests.browser.test_every_page import _RULES, barriers
from tests.browser.test_frame import TOO_WIDE

LIST, CREATE, ONE = (f"/api/v1/contents{rest}" for rest in ("", "/{siteId}/{channelId}", "/{siteId}/{channelId}/{id}"))


@pytest.fixture(scope="module")
def key(desk):
    """A key for contents."""
    return desk.installation.manage("create_api_key", "explorer", "--scope", "Contents:write", "--scope", "STL:read")


class Explorer:
    """The page, by what people do there."""

    def __init__(self, page):
        self.page = page
        page.goto("/api/docs/")
        expect(page.locator(".opblock").first).to_be_visible()

    def authorize(self, key):
        self.page.locator(".scheme-container").get_by_role("button", name="Authorize").click()
        field = self.page.locator(".modal-ux input").first
        expect(field).to_be_focused()
        field.fill(key)
        self.page.get_by_role("button", name="Apply credentials").first.click()
        expect(self.page.get_by_role("button", name="Remove authorization").first).to_be_visible()
        self.page.keyboard.press("Escape")
        expect(self.page.locator(".modal-ux")).to_have_count(0)

    def operation(self, method, path):
        named = self.page.locator(f'.opblock-summary-path[data-path="{path}"]')
        return self.page.locator(f".opblock-{method}").filter(has=named)

    def open(self, method, path):
        block = self.operation(method, path)
        block.locator(".opblock-summary-control").click()
        expect(block.get_by_role("button", name="Execute")).to_be_visible()
        return block

    def call(self, method, path, body=None, **parameters):
        """Opens the call, fills it in, and answers status and body."""
        block = self.open(method, path)
        for name, value in parameters.items():
            block.locator(f'tr[data-param-name="{name}"] input').fill(str(value))
        if body is not None:
            block.get_by_label("Body of the request").fill(json.dumps(body))
        with self.page.expect_response(lambda response: "/api/v1/contents" in response.url) as answered:
            block.get_by_role("button", name="Execute").click()
        answer = answered.value
        expect(block.locator(".live-responses-table .response-col_status").nth(1)).to_contain_text(str(answer.status))
        return answer.status, answer.json()


def test_contents_are_listed_created_changed_read_and_deleted(visit, key):
    with visit() as page:
        explorer = Explorer(page)
        explorer.authorize(key)
        status, listed = explorer.call("post", LIST, {"siteId": 1, "perPage": 2})
        assert (status, len(listed["contents"])) == (200, 2)
        place = {"siteId": 1, "channelId": 11}
        status, created = explorer.call("post", CREATE, {"title": "Tried in the explorer"}, **place)
        assert (status, created["value"]["title"]) == (200, "Tried in the explorer")
        place["id"] = created["value"]["id"]
        status, changed = explorer.call("put", ONE, {"title": "Changed there"}, **place)
        assert (status, changed["value"]["title"]) == (200, "Changed there")
        shown = explorer.operation("put", ONE).locator(".live-responses-table")
        expect(shown).to_contain_text("Changed there")
        assert explorer.call("get", ONE, **place)[1]["value"]["title"] == "Changed there"
        assert explorer.call("delete", ONE, **place)[0] == 200


def test_a_key_is_sent_in_its_header_and_kept_by_nobody(visit, key):
    with visit() as page:
        explorer = Explorer(page)
        explorer.authorize(key)
        block = explorer.open("get", "/api/v1/stl/sites")
        with page.expect_request("**/api/v1/stl/sites**") as sent:
            block.get_by_role("button", name="Execute").click()
        assert sent.value.headers["x-ss-api-key"] == key
        assert key not in sent.value.url
        kept = page.evaluate("JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])")
        assert key not in kept
        page.reload()
        expect(page.locator(".opblock").first).to_be_visible()
        expect(page.locator(".scheme-container .authorize.unlocked")).to_be_visible()


def test_a_word_finds_calls_by_path_and_summary(visit):
    with visit() as page:
        Explorer(page)
        page.get_by_label("Find a call").fill("avatar post")
        expect(page.locator(".opblock")).to_have_count(1)
        expect(page.locator(".opblock-summary-path")).to_have_attribute("data-path", "/api/v1/users/{id}/avatar")
        page.get_by_label("Find a call").fill("nothing like that")
        expect(page.locator(".opblock")).to_have_count(0)
        page.get_by_label("Find a call").fill("")
        expect(page.locator(f'.opblock-summary-path[data-path="{LIST}"]')).to_be_visible()


def test_a_call_has_an_address_that_leads_back_to_it(visit):
    with visit() as page:
        explorer = Explorer(page)
        explorer.open("post", LIST)
        expect(page).to_have_url(re.compile("#/.+/.+"))
        page.reload()
        expect(explorer.operation("post", LIST).get_by_role("button", name="Execute")).to_be_visible()


def test_it_works_with_the_keyboard(visit):
    with visit() as page:
        explorer = Explorer(page)
        page.get_by_label("Find a call").focus()
        page.keyboard.type("/ping")
        expect(page.locator(".opblock")).to_have_count(1)
        explorer.operation("get", "/api/v1/ping").locator(".opblock-summary-control").focus()
        page.keyboard.press("Enter")
        execute = page.get_by_role("button", name="Execute")
        expect(execute).to_be_visible()
        execute.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".live-responses-table")).to_contain_text("pong")


def test_it_asks_no_other_host(visit, desk):
    with visit() as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        Explorer(page)
        page.wait_for_load_state("networkidle")
        elsewhere = [url for url in asked if not url.startswith((desk.address, "data:"))]
        assert asked
        assert elsewhere == []


def test_a_description_that_does_not_come_is_told(chromium, desk):
    # Without `visit`: the browser complains of the answer.
    context = chromium.new_context(base_url=desk.address, locale="en-US")
    page = context.new_page()
    page.route("**/api/v1/openapi.json", lambda route: route.fulfill(status=503, body="{}"))
    page.goto("/api/docs/")
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    context.close()


def test_a_phone_shows_it_without_scrolling_sideways(visit):
    with visit(width=390, height=844) as page:
        explorer = Explorer(page)
        assert page.evaluate(TOO_WIDE) == 0
        explorer.open("post", LIST)
        assert page.evaluate(TOO_WIDE) == 0


def test_it_follows_the_colours_of_the_page(visit):
    with visit(colours="dark") as page:
        Explorer(page)
        expect(page.locator("html")).to_have_class(re.compile("dark-mode"))
        page.locator(".theme-toggle").first.click()
        expect(page.locator("html")).not_to_have_class(re.compile("dark-mode"))


@pytest.mark.parametrize(("language", "colours"), [("en", "light"), ("zh-hans", "dark")])
def test_it_is_open_to_all(chromium, desk, key, language, colours):
    # Without `visit`, which hears what axe causes.
    context = chromium.new_context(base_url=desk.address, locale=LANGUAGES[language], color_scheme=colours)
    page = context.new_page()
    explorer = Explorer(page)
    found = barriers(Axe().run(page, options=_RULES))
    page.locator(".scheme-container").get_by_role("button", name="Authorize").click()
    expect(page.locator(".modal-ux input").first).to_be_focused()
    found += barriers(Axe().run(page, options=_RULES))
    page.keyboard.press("Escape")
    explorer.authorize(key)
    explorer.call("post", LIST, {"siteId": 1, "perPage": 2})
    found += barriers(Axe().run(page, options=_RULES))
    context.close()
    assert found == []
