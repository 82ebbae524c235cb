"""The explorer in a real browser: a key is pasted, and contents are listed, created, changed and deleted."""

import json
import re

import pytest
from playwright.sync_api import expect

from core.captcha import SIZE
from tests.browser.accessibility import LOOKS, barriers
from tests.browser.test_frame import TOO_WIDE
from tools.browser import LANGUAGES

LIST, CREATE, ONE = (f"/api/v1/contents{rest}" for rest in ("", "/{siteId}/{channelId}", "/{siteId}/{channelId}/{id}"))


@pytest.fixture(scope="package")
def key(desk):
    """A key for contents."""
    return desk.installation.manage("create_api_key", "explorer", "--scope", "Contents:write", "--scope", "STL:read")


@pytest.fixture(scope="package")
def all_scopes(desk):
    """A key for every call."""
    return desk.installation.manage("create_api_key", "explorer of all", "--all-scopes")


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
            block.locator("textarea").fill(json.dumps(body))
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


def test_a_picture_that_is_answered_is_seen(visit):
    with visit() as page:
        block = Explorer(page).open("get", "/api/v1/captcha/{name}")
        block.get_by_role("button", name="Execute").click()
        picture = block.locator(".live-responses-table img")
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == SIZE[0]


def test_a_word_finds_calls_by_path_and_summary(visit):
    with visit() as page:
        Explorer(page)
        page.get_by_label("Find a call").fill("avatar post")
        expect(page.locator(".opblock")).to_have_count(1)
        expect(page.locator(".opblock-summary-path")).to_have_attribute("data-path", "/api/v1/users/{id}/avatar")
        page.get_by_label("Find a call").fill("nothing like that")
        expect(page.get_by_text("No call matches all of these words.")).to_be_visible()
        expect(page.locator(".opblock")).to_have_count(0)
        expect(page.get_by_text("No operations defined")).to_have_count(0)
        page.get_by_label("Find a call").fill("")
        expect(page.locator(f'.opblock-summary-path[data-path="{LIST}"]')).to_be_visible()


def fields(block):
    """What stands in the fields of a call that must be filled, and what they show while they are empty."""
    required = block.locator("tr:has(.required) input")
    return {
        field.locator("xpath=ancestor::tr").get_attribute("data-param-name"): (
            field.input_value(),
            field.get_attribute("placeholder"),
        )
        for field in required.all()
    }


READS = {
    "/api/v1/contents/{siteId}": {"siteId": "1"},
    "/api/v1/contents/{siteId}/{channelId}": {"siteId": "1", "channelId": "11"},
    ONE: {"siteId": "1", "channelId": "11", "id": "30"},
    "/api/v1/channels/{siteId}": {"siteId": "1"},
    "/api/v1/channels/{siteId}/{channelId}": {"siteId": "1", "channelId": "11"},
    "/api/v1/administrators/{id}": {"id": "1"},
}


def test_a_read_is_filled_in_and_answers_from_the_sample_site(visit, all_scopes):
    with visit() as page:
        explorer = Explorer(page)
        explorer.authorize(all_scopes)
        for path, expected in sorted(READS.items()):
            block = explorer.open("get", path)
            assert {name: value for name, (value, _) in fields(block).items()} == expected
            with page.expect_request("**/api/v1/**") as sent:
                block.get_by_role("button", name="Execute").click()
            assert "?" not in sent.value.url  # nothing but what is filled in is sent
            expect(block.locator(".live-responses-table .response-col_status").nth(1)).to_contain_text("200")
            block.locator(".opblock-summary-control").click()  # what is open makes all that follows slower
        for name in ("content", "sqlContent", "sqlContents"):
            block = explorer.open("get", f"/api/v1/stl/{name}")
            block.get_by_role("button", name="Execute").click()
            expect(block.locator(".live-responses-table")).to_contain_text('"title"')
        block = explorer.open("get", "/api/v1/stl/value")
        block.get_by_role("button", name="Execute").click()
        expect(block.locator(".live-responses-table")).to_contain_text("Harbour")


@pytest.mark.parametrize("method", ["delete", "put"])
def test_what_is_to_be_changed_is_typed(visit, key, method):
    with visit() as page:
        explorer = Explorer(page)
        explorer.authorize(key)
        sent = []
        page.on("request", lambda request: sent.append(request.method))
        block = explorer.open(method, ONE)
        shown = {"siteId": ("", "such as 1"), "channelId": ("", "such as 11"), "id": ("", "such as 30")}
        assert fields(block) == shown
        block.get_by_role("button", name="Execute").click()
        expect(block.locator('tr[data-param-name="siteId"] input')).to_be_focused()
        expect(block.locator('tr[data-param-name="siteId"] input')).to_be_in_viewport()
        assert method.upper() not in sent


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_answer_is_shown_told_and_given_the_keyboard(visit, motion):
    with visit(width=1280, height=600) as page:
        page.emulate_media(reduced_motion=motion)
        explorer = Explorer(page)
        block = explorer.open("get", "/api/v1/ping")
        execute = block.get_by_role("button", name="Execute")
        execute.press("Enter")
        answer = block.get_by_role("group", name="Response to the call")
        expect(answer).to_be_focused()
        expect(answer.locator(".live-responses-table .response-col_status").nth(1)).to_be_in_viewport()
        expect(page.locator("#answered")).to_have_text("The response has arrived, with status 200.")


def test_only_a_new_answer_takes_the_keyboard(visit):
    with visit() as page:
        explorer = Explorer(page)
        block = explorer.open("get", "/api/v1/ping")
        block.get_by_role("button", name="Execute").press("Enter")
        expect(block.get_by_role("group", name="Response to the call")).to_be_focused()
        summary = block.locator(".opblock-summary-control")
        summary.press("Enter")
        expect(block.get_by_role("button", name="Execute")).to_have_count(0)
        summary.press("Enter")
        expect(block.locator(".live-responses-table")).to_be_visible()
        expect(summary).to_be_focused()


def test_an_answer_leaves_the_keyboard_where_somebody_has_gone_on(visit):
    with visit() as page:
        held = []
        page.route("**/api/v1/ping", lambda route: held.append(route))
        explorer = Explorer(page)
        block = explorer.open("get", "/api/v1/ping")
        with page.expect_request("**/api/v1/ping"):
            block.get_by_role("button", name="Execute").click()
        page.get_by_label("Find a call").focus()
        held[0].continue_()
        expect(page.locator("#answered")).to_have_text("The response has arrived, with status 200.")
        expect(page.get_by_label("Find a call")).to_be_focused()


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


def test_the_narrowest_phone_shows_the_buttons_of_a_changed_body(visit):
    with visit(width=320, height=640) as page:
        block = Explorer(page).open("post", LIST)
        block.get_by_label("Body of the request").fill("{}")
        expect(block.get_by_role("button", name="Reset")).to_be_visible()
        assert page.evaluate(TOO_WIDE) == 0


def test_it_follows_the_colours_of_the_page(visit):
    with visit(colours="dark") as page:
        Explorer(page)
        expect(page.locator("html")).to_have_class(re.compile("dark-mode"))
        page.locator(".theme-toggle").first.click()
        expect(page.locator("html")).not_to_have_class(re.compile("dark-mode"))


@pytest.mark.parametrize(("language", "colours"), LOOKS)
def test_it_is_open_to_all(chromium, desk, key, language, colours):
    # Without `visit`, which hears what axe causes.
    context = chromium.new_context(base_url=desk.address, locale=LANGUAGES[language], color_scheme=colours)
    page = context.new_page()
    explorer = Explorer(page)
    found = barriers(page)
    page.locator(".scheme-container").get_by_role("button", name="Authorize").click()
    expect(page.locator(".modal-ux input").first).to_be_focused()
    found += barriers(page)
    page.keyboard.press("Escape")
    explorer.authorize(key)
    explorer.call("post", LIST, {"siteId": 1, "perPage": 2})
    found += barriers(page)
    context.close()
    assert found == []
