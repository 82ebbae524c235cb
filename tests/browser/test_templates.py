"""Templates in the admin: the editor, its completion and errors, versions, and the preview of a draft."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers

LIST = "/admin/pages/template/?site__id__exact=1"
HOSTILE = """<!DOCTYPE html><html><body><p id="seen">{stl.siteId}</p><script>
const tell = (name, read) => { let told; try { told = String(read()); } catch { told = "refused"; }
    document.body.dataset[name] = told; };
tell("cookie", () => document.cookie);
tell("parent", () => parent.document.title);
tell("storage", () => localStorage.length);
tell("origin", () => self.origin);
</script></body></html>"""


@pytest.fixture
def open_template(sign_in):
    """Opens the form of a template of the sample site by its name."""

    def open_form(page, name):
        sign_in(page)
        page.goto(LIST)
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator(".cm-content")).to_be_visible()

    return open_form


def replace_text(page, text):
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.press(
        "Delete"
    )  # else Chromium gives the new text the colours of the old one, which our policy refuses
    page.keyboard.insert_text(text)


def test_elements_and_attributes_are_completed(visit, open_template):
    with visit() as page:
        open_template(page, "404")
        replace_text(page, "")
        page.keyboard.type("<stl:pageCon")
        page.get_by_role("option", name="stl:pageContents").click()
        expect(page.locator(".cm-content")).to_contain_text("stl:pageContents")
        page.keyboard.type(" pageN")
        page.get_by_role("option", name="pageNum").wait_for()


def test_errors_have_their_line_and_go_with_their_cause(visit, open_template):
    with visit("zh-hans") as page:
        open_template(page, "404")
        replace_text(page, "<p>\n<stl:if type='title'>x</p>")
        expect(page.locator(".template-problems li")).to_have_count(1)
        expect(page.locator(".template-problems li")).to_contain_text("2")
        expect(page.locator(".cm-lint-marker-error")).to_be_visible()
        replace_text(page, "<p></p>")
        expect(page.locator(".template-problems li")).to_have_count(0)


def test_the_keyboard_leaves_the_editor(visit, open_template):
    with visit() as page:
        open_template(page, "404")
        page.locator(".cm-content").focus()
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.shadowRoot")


def test_a_change_is_on_the_website_and_an_earlier_version_comes_back(visit, open_template):
    with visit() as page:
        open_template(page, "404")
        replace_text(page, "<!DOCTYPE html><title>x</title><h1>Nowhere</h1>")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url("**/admin/pages/template/?site__id__exact=1")
        page.goto("/start/")
        assert "Nowhere" in page.request.get("/nothing.html").text()
        page.goto(LIST)
        page.get_by_role("link", name="404", exact=True).click()
        page.get_by_role("link", name="History").first.click()
        page.goto(page.url.replace("/history/", "/compare/"))
        expect(page.locator("#content")).to_contain_text("Nowhere")
        page.get_by_role("link", name="Restore version 1").click()
        page.get_by_role("button", name="Restore this version").click()
        page.wait_for_selector(".messagelist .success")
        assert "Nowhere" not in page.request.get("/nothing.html").text()


def test_the_preview_of_a_hostile_draft_reaches_nothing(visit, open_template):
    with visit() as page:
        open_template(page, "404")
        replace_text(page, HOSTILE)
        page.get_by_role("button", name="Preview").click()
        shown = page.frame_locator("iframe[name=template-preview]").locator("body")
        expect(shown.locator("#seen")).to_have_text("1")
        told = shown.evaluate("body => ({...body.dataset})")
        assert told == {"cookie": "refused", "parent": "refused", "storage": "refused", "origin": "null"}


def test_without_scripts_there_is_a_text_area(chromium, desk, sign_in):
    context = chromium.new_context(base_url=desk.address, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto(LIST)
    page.get_by_role("link", name="404", exact=True).click()
    expect(page.locator("textarea[name=text]")).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    ("language", "colours", "width"),
    [("en", "light", 1280), pytest.param("zh-hans", "dark", 390, marks=pytest.mark.large)],
)
def test_its_pages_are_open_to_all(visit, open_template, language, colours, width):
    with visit(language, colours=colours, width=width, is_heard=False) as page:
        open_template(page, "404")
        replace_text(page, "<stl:if>" + " wide" * 100)
        expect(page.locator(".template-problems li")).to_have_count(1)
        page.evaluate("scrollTo(0, 0)")  # else the sticky header covers part of the actions
        found = {page.url: barriers(page)}
        of_template = page.url.partition("change/")[0]
        added = ("/admin/pages/template/add/?site=1", "/admin/pages/template/add/?site=1&kind=FileTemplate")
        page.goto(LIST)
        page.get_by_role("link", name="Section", exact=True).click()
        of_channels = page.url.partition("change/")[0]
        for link in (LIST, *added, f"{of_template}history/", f"{of_template}versions/1/", f"{of_channels}channels/"):
            assert page.goto(link).status == 200, link
            found[link] = barriers(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not any(found.values()), found
