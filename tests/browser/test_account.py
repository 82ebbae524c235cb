"""My account in a real browser: a second factor is set up, and asked for at the next sign-in."""

import time

import pyotp
from playwright.sync_api import expect

NAME, PASSWORD = "warden", "harbour-21"
PAGE = "/admin/account/second-factor/"


def enter_password(page):
    page.goto("/admin/")
    page.fill("#id_username", NAME)
    page.fill("#id_password", PASSWORD)
    page.click("#login-form button")


def enter_code(page, code):
    page.fill("#id_code", code)
    page.click(".card button")


def test_a_second_factor_is_set_up_and_asked_for(visit, sign_in, desk):
    desk.installation.manage("createsuperuser", "--noinput", "--user_name", NAME)
    with visit() as page:
        sign_in(page, NAME, PASSWORD)
        page.goto(PAGE)
        assert page.locator(".set-up img").evaluate("image => image.naturalWidth") > 0
        app = pyotp.TOTP(page.inner_text(".set-up code").replace(" ", ""))
        used = app.now()
        page.fill("#id_code", used)
        page.fill("#id_own_password", PASSWORD)
        page.click("input[value='Turn on']")
        codes = page.inner_text("#recovery-codes").split()
        assert len(codes) == 10
        page.reload()
        expect(page.get_by_text("10 recovery codes are left.")).to_be_visible()
    with visit() as page:
        enter_password(page)
        enter_code(page, used)
        expect(page.get_by_text("The code is wrong or has been used.")).to_be_visible()
        assert page.request.get("/admin/", max_redirects=0).status == 302
        enter_code(page, app.at(time.time() + app.interval))
        expect(page.locator(".account-menu")).to_be_visible()
    with visit("zh-hans") as page:
        enter_password(page)
        enter_code(page, codes[0])
        expect(page.locator(".account-menu")).to_be_visible()
