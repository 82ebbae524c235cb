"""What is typed is kept on the server: offered on another device, by each tab for itself, and gone once it is saved."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.content_form import open_tab

_MAKE = """
from channels_app.models import Channel
from contents.models import Content, ContentBody
channel = Channel.objects.filter(parent=None).first()
content = Content.objects.create(site_id=channel.site_id, channel=channel, title="The tide table", is_checked=True)
ContentBody.objects.create(content=content, text="<p>High water at noon.</p>")
print(content.pk)
"""
_COUNT = """
from contents.models import ContentChange, ContentDraft, UnsavedText
kinds = (UnsavedText, ContentDraft, ContentChange)
print(*(kind.objects.filter(content_id=%s).count() for kind in kinds))
"""
_BROWSER = "() => Object.keys(localStorage).filter((name) => name.startsWith('draft:')).length"
# Thirty seconds are over after two.
_SOON = """{
  const real = window.setTimeout;
  window.setTimeout = (act, delay, ...more) => real(act, delay === 30000 ? 2500 : delay, ...more);
}"""


@pytest.fixture
def content(desk):
    return desk.installation.manage("shell", "--no-imports", "-c", _MAKE).split()[-1]


@pytest.fixture
def counts(desk, content):
    """How many unsaved texts, drafts and versions there are of the content."""
    return lambda: desk.installation.manage("shell", "--no-imports", "-c", _COUNT % content).strip()


def open_form(page, content):
    page.goto(f"/admin/contents/content/{content}/change/")
    page.wait_for_selector(".editor-toolbar")


def kept(page):
    expect(page.locator(".draft-state")).to_have_text(re.compile(r"Unsaved text kept for you at \d\d:\d\d"))


def test_it_is_offered_on_another_device_and_gone_once_saved(visit, sign_in, content, counts):
    with visit() as page:
        page.add_init_script(_SOON)
        sign_in(page)
        open_form(page, content)
        page.fill("#id_title", "Typed at home")
        open_tab(page, "More")
        page.fill("#id_author", "Mia")
        kept(page)
        assert page.evaluate(_BROWSER) == 0
        assert counts() == "1 0 0"
        with visit(width=390) as phone:
            phone.add_init_script(_SOON)
            sign_in(phone)
            open_form(phone, content)
            notice = phone.locator("[data-notice=draft]")
            expect(notice).to_contain_text("Your last changes here were not saved.")
            notice.get_by_role("button", name="Restore the draft").click()
            expect(notice).to_have_count(0)
            assert phone.input_value("#id_title") == "Typed at home"
            phone.keyboard.press("ControlOrMeta+s")
            phone.wait_for_selector(".messagelist")
            assert counts() == "0 1 0"


def test_two_tabs_keep_their_own_and_offer_neither_to_the_other(visit, sign_in, content, counts):
    with visit() as page:
        page.context.add_init_script(_SOON)
        sign_in(page)
        open_form(page, content)
        other = page.context.new_page()
        open_form(other, content)
        page.fill("#id_title", "Left")
        other.fill("#id_title", "Right")
        kept(other)
        kept(page)
        assert counts() == "2 0 0"
        third = page.context.new_page()
        open_form(third, content)
        third.wait_for_timeout(600)  # in which pages that are open answer
        expect(third.locator("[data-notice=draft]")).to_have_count(0)
        other.close(run_before_unload=False)
        third.reload()
        expect(third.locator("[data-notice=draft]")).to_be_visible()
        third.get_by_role("button", name="Discard").click()
        expect(third.locator("[data-notice=draft]")).to_have_count(0)
        page.fill("#id_title", "The tide table")
        expect(page.locator(".draft-state")).to_have_text("")
        page.wait_for_timeout(3000)
        assert counts() == "0 0 0"


def test_the_browser_keeps_what_the_server_does_not_get(visit, sign_in, content, counts):
    with visit(is_heard=False) as page:
        page.add_init_script(_SOON)
        sign_in(page)
        open_form(page, content)
        page.context.set_offline(True)
        page.fill("#id_title", "Without a connection")
        expect(page.locator(".draft-state")).to_contain_text("Draft saved in this browser at")
        page.wait_for_timeout(3000)
        assert page.evaluate(_BROWSER) == 1
        page.context.set_offline(False)
        kept(page)
        assert page.evaluate(_BROWSER) == 0
        assert counts() == "1 0 0"


def test_it_is_sent_when_the_page_is_hidden(visit, sign_in, content, counts):
    with visit() as page:
        sign_in(page)
        open_form(page, content)
        page.fill("#id_title", "Hidden soon")
        with page.expect_response("**/unsaved/**"):
            page.evaluate(
                """() => {
                    Object.defineProperty(document, "hidden", { value: true, configurable: true });
                    document.dispatchEvent(new Event("visibilitychange"));
                }"""
            )
        assert counts() == "1 0 0"
