"""The bell: what a client submits is counted when the window is looked at again, opened, and marked as read."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.test_frame import SMALL, TOO_WIDE

NAMES = {"en": ("Notifications", "Mark all as read"), "zh-hans": ("通知", "全部标为已读")}
LATER = "() => { const now = Date.now; Date.now = () => now() + 60_000; window.dispatchEvent(new Event('focus')); }"


@pytest.fixture(scope="module")
def submit(desk):
    """Submits a content with a key and returns when its owner is told."""
    token = desk.installation.manage("create_api_key", "notifications", "--scope", "Contents:write")

    def send(page, title):
        headers, before = {"X-SS-API-KEY": token}, _unread(page)
        sent = page.request.post("/api/v1/contents/1/3", data={"title": title}, headers=headers)
        assert sent.status == 200, sent.text()
        ends = time.monotonic() + 60
        while _unread(page) == before:
            assert time.monotonic() < ends
            page.wait_for_timeout(200)

    return send


def _unread(page):
    return page.request.get("/admin/notifications/unread/").json()["unread"]


@pytest.mark.parametrize("language", NAMES)
def test_the_bell_counts_leads_and_forgets(visit, sign_in, submit, language):
    name, mark_all = NAMES[language]
    with visit(language, is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/password_change/")
        count = page.locator("#bell .bell-count")
        submit(page, f"Told <{language}>")
        submit(page, f"Also told {language}")
        page.evaluate(LATER)
        number = int(_unread(page))
        assert number >= 2
        expect(count).to_contain_text(str(number))
        page.get_by_role("link", name=re.compile(f"^{name} {number}")).press("Enter")
        page.wait_for_url("**/admin/notifications/")
        assert barriers(page) == []
        page.get_by_role("link", name=f"Told <{language}>").click()
        page.wait_for_url("**/review/**")
        expect(count).to_contain_text(str(number - 1))
        page.set_viewport_size({"width": 390, "height": 844})
        for place in ("/admin/notifications/choices/", "/admin/notifications/"):
            page.goto(place)
            assert page.evaluate(TOO_WIDE) == 0
            assert page.evaluate(SMALL) == []
            assert barriers(page) == []
        page.get_by_role("button", name=mark_all).click()
        expect(count).to_be_hidden()
