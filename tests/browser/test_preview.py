"""The preview beside the form, and the way of a change from its author to the public page."""

import re
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import COLOURS, barriers

# What docs/recipes.md tells the website to do.
_WEBSITE = b"""<!doctype html><h1></h1><article></article><script type="module">
const token = new URLSearchParams(location.search).get("token");
const response = await fetch(`%s/api/v1/previews/${encodeURIComponent(token)}`);
const { value } = await response.json();
document.querySelector("h1").textContent = value.title;
document.querySelector("article").innerHTML = value.content;
</script>"""
_LEAD = """
from sites.models import Site
Site.objects.filter(pk=1).update(settings=Site.objects.get(pk=1).settings | {"previewAddress": "%s"})
"""
PASSWORD = "harbour-21"
CONTENT = "/admin/contents/content"
_MAKE = """
from core.rest.serializers import Members
from contents.lists.detail import read_record
from contents.services.single import create_content
values = {"title": "High water", "content": "<p>The harbour opens at eight.</p>", "is_checked": True}
content = create_content(1, 11, Members(values, {}), "")
print(content.pk, read_record(1, 11, content.pk)["navigationUrl"])
"""
_HAS = "async ([address, text]) => (await (await fetch(address)).text()).includes(text)"
_AUTHOR = """
from django.contrib.auth.models import Group, Permission
from accounts.models import Administrator
author = Administrator.objects.create_user("author", "harbour-21")
group = Group.objects.create(name="Authors")
group.permissions.add(*Permission.objects.filter(codename__in=["view_content", "change_content"]))
author.groups.add(group)
"""
WORDS = {
    "en": {"preview": "Preview", "layout": "In the layout of the site"},
    "zh-hans": {"preview": "预览", "layout": "网站页面效果"},
}


@pytest.fixture
def content(desk):
    """A public content of the sample site: its number, and the address of its page."""
    return desk.installation.manage("shell", "--no-imports", "-c", _MAKE).split()[-2:]


@pytest.fixture(scope="module")
def author(desk):
    """An administrator who may change contents and not approve them."""
    desk.installation.manage("shell", "--no-imports", "-c", _AUTHOR)
    return "author", PASSWORD


def open_preview(page, content):
    page.goto(f"{CONTENT}/{content[0]}/change/")
    page.wait_for_selector(".editor-toolbar")
    page.locator("button[data-preview]").click()
    preview_of(page).get_by_text("The harbour opens at eight.").wait_for()


def preview_of(page):
    return page.frame_locator(".preview-stage iframe:not(.is-loading)")


@pytest.mark.parametrize("language", WORDS)
def test_a_change_goes_from_its_author_to_the_public_page_at_its_time(visit, sign_in, author, content, language):
    number, public = content
    words, title = WORDS[language], f"Low water {language}"
    with visit(language, width=1440) as page:
        sign_in(page, *author)
        page.goto(f"{CONTENT}/{number}/change/")
        page.wait_for_selector(".editor-toolbar")
        page.get_by_role("button", name=words["preview"], exact=True).click()
        preview_of(page).get_by_text("The harbour opens at eight.").wait_for()
        page.fill("#id_title", title)
        page.locator(".editor-text").click()
        page.keyboard.press("Control+a")
        page.keyboard.type("The harbour opens at nine.")
        preview_of(page).get_by_text("The harbour opens at nine.").wait_for()
        expect(preview_of(page).get_by_role("heading", name=title)).to_be_visible()
        page.locator('button[name="_hand_in"]').click()
        page.wait_for_url(re.compile(r"/content/\?"))

    with visit(language, width=1440) as page:
        sign_in(page)
        page.goto(f"{CONTENT}/waiting/?site=")  # of all sites, as the start page leads there
        page.locator(f'main a[href*="/{number}/draft/"]').first.click()
        page.get_by_role("link", name=words["layout"]).click()
        before, after = (page.frame_locator(f".preview-stage iframe >> nth={place}") for place in (0, 1))
        before.get_by_text("The harbour opens at eight.").wait_for()
        after.get_by_text("The harbour opens at nine.").wait_for()
        due = datetime.now(UTC) + timedelta(seconds=3)
        page.fill("#id_publish_at", f"{due:%Y-%m-%dT%H:%M:%S}")
        page.click('button[value="schedule"]')
        page.wait_for_selector(".messagelist .success")
        page.wait_for_function(_HAS, arg=[public, "The harbour opens at nine."], polling=200)


def test_the_pane_follows_at_three_widths_and_stays_where_it_was_scrolled(visit, sign_in, content):
    with visit(width=1440) as page:
        sign_in(page)
        open_preview(page, content)
        frame = page.locator(".preview-stage iframe")
        for name, width in {"Tablet": 820, "Desktop": 1280, "Phone": 390}.items():
            page.get_by_label(name).check()
            assert frame.evaluate("each => each.offsetWidth") == width
        preview_of(page).locator("body").evaluate("() => scrollTo(0, 300)")
        steps = page.evaluate("history.length")
        page.fill("#id_title", "Low water")
        preview_of(page).get_by_role("heading", name="Low water").wait_for()
        assert preview_of(page).locator("body").evaluate("() => scrollY") == 300
        assert page.evaluate("history.length") == steps
        page.click(".writing-status summary")
        page.locator("button[data-share]").click()
        shared = page.locator("#shared input")
        expect(shared).to_have_value(re.compile("/api/v1/previews/.+/page"))
        assert page.request.get(shared.input_value()).status == 200


def test_a_waiting_content_is_reviewed_in_the_layout_of_the_site(visit, sign_in, desk):
    make = _MAKE.partition("print")[0].replace('"is_checked": True', '"checked_level": 0') + "print(content.pk)"
    number = desk.installation.manage("shell", "--no-imports", "-c", make).split()[-1]
    with visit(width=1440) as page:
        sign_in(page)
        page.goto(f"{CONTENT}/{number}/review/")
        page.get_by_role("link", name=WORDS["en"]["layout"]).click()
        shown = preview_of(page)
        expect(shown.get_by_role("heading", name="High water")).to_be_visible()
        shown.get_by_text("The harbour opens at eight.").wait_for()
        expect(shown.get_by_role("navigation").first).to_be_visible()
        page.get_by_label("Phone").check()
        assert page.locator(".preview-stage iframe").evaluate("each => each.offsetWidth") == 390


@pytest.fixture
def website(desk):
    """A website of another origin, to which the sample site leads previews; restored afterwards."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", f"frame-ancestors {desk.address}")
            self.end_headers()
            self.wfile.write(_WEBSITE % desk.address.encode())

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            desk.installation.manage("shell", "--no-imports", "-c", _LEAD % f"{address}/?token={{token}}")
            yield address
        finally:
            desk.installation.manage("shell", "--no-imports", "-c", _LEAD % "")
            server.shutdown()


def test_a_website_built_elsewhere_shows_what_is_typed(visit, sign_in, content, website):
    with visit(width=1440) as page:
        sign_in(page)
        open_preview(page, content)
        page.fill("#id_title", "Low water")
        preview_of(page).get_by_role("heading", name="Low water").wait_for()
        page.locator(".editor-text").click()
        page.keyboard.press("Control+a")
        page.keyboard.type("The harbour opens at nine.")
        preview_of(page).get_by_text("The harbour opens at nine.").wait_for()
        assert page.locator(".preview-stage iframe:not(.is-loading)").get_attribute("src").startswith(website)


@pytest.mark.parametrize("colours", COLOURS)
def test_on_a_phone_it_is_a_sheet_that_closes(visit, sign_in, content, colours):
    with visit(width=390, colours=colours, is_heard=False) as page:
        sign_in(page)
        page.goto(f"{CONTENT}/{content[0]}/change/")
        page.wait_for_selector(".editor-toolbar")
        page.locator("button[data-preview]").click()
        preview_of(page).get_by_text("The harbour opens at eight.").wait_for()
        pane = page.get_by_role("dialog", name="Preview")
        assert pane.bounding_box()["width"] == 390
        assert barriers(page, ".preview-bar") == []
        page.keyboard.press("Escape")
        pane.wait_for(state="hidden")
        expect(page.locator("button[data-preview]")).to_be_focused()
