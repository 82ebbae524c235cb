"""The website of the sample site in a browser: open to all, without scripts, and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.test_frame import TOO_WIDE

# One page of each template.
PAGES = [
    "/",
    "/whats-on/9.html",
    "/contents/9/18.html",
    "/pictures.html",
    "/search.html?word=ferry",
    "/tags.html?tagName=ferry",
    "/nothing.html",
    "/zh/",
    "/channels/13.html",
    "/channels/14.html",
    "/contents/14/35.html",
    "/zh/search.html?word=鲸鱼",
    "/zh/tags.html",
]
LOOKS = [
    ("light", 1280),
    pytest.param(("dark", 1280), marks=pytest.mark.large),
    pytest.param(("dark", 320), marks=pytest.mark.large),
]


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def window(request, chromium, desk):
    colours, width = request.param
    context = chromium.new_context(
        base_url=desk.address, color_scheme=colours, viewport={"width": width, "height": 844}, reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_open_to_all(window, path):
    window.goto(path)
    assert barriers(window, of_all_rules=True) == []
    assert window.evaluate(TOO_WIDE) == 0


def test_it_needs_no_script(chromium, desk):
    context = chromium.new_context(base_url=desk.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Search").click()
    page.get_by_label("Search for").fill("ferry")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_contain_text("results")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("link", name="Previous")).to_be_visible()
    page.get_by_role("link", name="中文", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("望汐港")
    page.get_by_role("link", name="馆藏精选", exact=True).first.click()  # in the menu and below its heading
    page.get_by_role("link", name="雾钟").click()
    page.get_by_role("list").get_by_role("link", name="航标").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("航标")
    context.close()


def test_the_search_box_suggests_titles(visit):
    with visit(is_heard=False) as page:
        found = '{"value": [{"title": "Ferry <times>"}]}'
        headers = {"Access-Control-Allow-Origin": "*"}  # the page is in a sandbox
        page.route("**/_suggestions?q=fer%20t", lambda route: route.fulfill(body=found, headers=headers))
        page.route("**/_suggestions?q=none", lambda route: route.abort())
        page.goto("/search.html")
        page.get_by_label("Search for").fill("fer t")
        expect(page.locator("#titles option")).to_have_text(["Ferry <times>"])
        page.get_by_label("Search for").fill("none")
        expect(page.locator("#titles option")).to_have_count(0)


def test_nothing_moves_while_a_page_loads(visit):
    with visit(width=390) as page:
        page.add_init_script(
            "window.moved = 0; new PerformanceObserver((list) => list.getEntries().forEach("
            "(one) => { window.moved += one.value; })).observe({type: 'layout-shift', buffered: true});"
        )
        for path in ("/", "/contents/9/18.html"):
            page.goto(path, wait_until="networkidle")
            assert page.evaluate("moved") == 0


def test_the_keyboard_reaches_the_text_past_the_menu(visit):
    with visit() as page:
        page.goto("/")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")
