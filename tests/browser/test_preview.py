"""The preview beside the form, and the way of a change from its author to the public page."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import COLOURS, barriers

PASSWORD = "harbour-21"
CONTENT = "/admin/contents/content"
_MAKE = """
from cms_api.rest.serializers import Members
from contents.lists.one import read_record
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
    "en": {"preview": "Preview", "queue": "Waiting for me", "layout": "In the layout of the site"},
    "zh-hans": {"preview": "预览", "queue": "待我审核", "layout": "网站页面效果"},
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
        page.goto("/admin/")
        page.get_by_role("link", name=words["queue"]).first.click()
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
        page.goto(f"{CONTENT}/{content[0]}/change/")
        page.wait_for_selector(".editor-toolbar")
        page.locator("button[data-preview]").click()
        preview_of(page).get_by_text("The harbour opens at eight.").wait_for()
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
        page.locator("button[data-share]").click()
        shared = page.locator("#shared input")
        expect(shared).to_have_value(re.compile("/api/v1/previews/.+/page"))
        assert page.request.get(shared.input_value()).status == 200


@pytest.mark.parametrize("colours", COLOURS)
def test_on_a_phone_it_is_a_sheet_that_closes(visit, sign_in, content, colours):
    with visit(width=390, colours=colours, is_heard=False) as page:
        sign_in(page)
        page.goto(f"{CONTENT}/{content[0]}/change/")
        page.wait_for_selector(".editor-toolbar")
        page.click(".save-more")
        page.locator("button[data-preview]").click()
        preview_of(page).get_by_text("The harbour opens at eight.").wait_for()
        pane = page.get_by_role("dialog", name="Preview")
        assert pane.bounding_box()["width"] == 390
        assert barriers(page, ".preview-bar") == []
        page.keyboard.press("Escape")
        pane.wait_for(state="hidden")
        expect(page.locator("button[data-preview]")).to_be_focused()
