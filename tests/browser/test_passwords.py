"""A drawn password in a real browser: it is shown and copied once, and a reload makes no second user."""

import re

from playwright.sync_api import expect

USERS = "/admin/accounts/user/"


def test_a_drawn_password_is_copied_and_gone_after_a_reload(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto(f"{USERS}add/")
        page.fill("#id_user_name", "drawn-reader")
        page.check("#id_is_drawn")
        page.click("input[name=_save]")
        password = page.inner_text("#password")
        page.click("[data-copy=password]")
        expect(page.locator("#copied")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == password
        expect(page).to_have_url(re.compile(rf"{USERS}\d+/change/$"))
        page.reload()
        expect(page.locator("#id_user_name")).to_have_value("drawn-reader")
        assert password not in page.content()
