"""The life of an API key, clicked through in a browser: issued, tried, rotated, reset and revoked."""

import re
import shlex
import subprocess

import pytest
from playwright.sync_api import expect

from tools.browser import LANGUAGES

KEYS = "/admin/apikeys/apikey/"
_CHINESE = re.compile("[一-鿿]")


def status_of(desk, token):
    """The status with which the API answers to the token."""
    return desk.server.request("GET", "/api/v1/channels/1", headers={"X-SS-API-KEY": token}).status_code


def is_in(language, text):
    """Whether the text is in the language, as far as its letters tell."""
    return bool(_CHINESE.search(text)) == (language == "zh-hans")


def confirm(page, desk):
    """Give one's own password, and send the form."""
    submit = page.locator("#content input[type=submit].default")
    submit.wait_for()
    if page.locator("#id_own_password").count():  # not asked for again within ten minutes
        page.fill("#id_own_password", desk.password)
    submit.click()


def do(page, desk, action, **fields):
    """Do one of the actions of the key whose page is open."""
    page.click(f"a.action-{action}")
    for name, value in fields.items():
        page.select_option(f"#id_{name}", value)
    confirm(page, desk)


def shown_token(page):
    """The token that the page shows, which its button copies."""
    page.click("[data-copy=token]")
    expect(page.locator("#copied")).not_to_be_empty()
    token = page.inner_text("#token")
    assert page.evaluate("navigator.clipboard.readText()") == token
    return token


def run(line):
    """What the line prints in a terminal."""
    done = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_lives_from_issuing_to_revoking(visit, sign_in, desk, language):
    with visit(language) as page:
        sign_in(page)
        page.goto("/admin/")
        page.click("#menu .menu-administration summary")
        page.click(f"#menu a[href='{KEYS}']")
        page.click(f"a[href='{KEYS}add/']")
        page.fill("#id_name", f"Newsletter {language}")
        page.check("input[name=scope_Channels][value=read]")
        confirm(page, desk)
        assert is_in(language, page.inner_text("h1"))

        first = shown_token(page)
        assert '"value"' in run(page.inner_text("#curl"))
        assert status_of(desk, first) == 200
        page.click("#content .submit-row a")
        assert first not in page.content()

        do(page, desk, "rotate", overlap="3600")
        second = shown_token(page)
        assert (status_of(desk, first), status_of(desk, second)) == (200, 200)
        page.click("#content .submit-row a")
        expect(page.locator(".key-tokens tbody tr")).to_have_count(2)  # and when each was last used

        do(page, desk, "end")
        assert (status_of(desk, first), status_of(desk, second)) == (401, 200)

        do(page, desk, "reset")
        third = shown_token(page)
        assert (status_of(desk, second), status_of(desk, third)) == (401, 200)
        page.click("#content .submit-row a")

        do(page, desk, "revoke")
        assert is_in(language, page.inner_text(".messagelist"))
        assert status_of(desk, third) == 401


def test_a_key_for_monitoring_reads_the_figures_and_cannot_restart(visit, sign_in, desk):
    with visit() as page:
        sign_in(page)
        page.goto(f"{KEYS}add/")
        page.fill("#id_name", "Monitoring")
        page.check("input[name=scope_System][value=read]")
        confirm(page, desk)
        headers = {"X-SS-API-KEY": shown_token(page)}
        metrics = desk.server.request("GET", "/api/v1/metrics", headers=headers)
        assert (metrics.status_code, metrics.json()["code"]) == (404, "metrics_off")  # 401 without the scope
        restart = desk.server.request("POST", "/api/v1/actions/restart", headers=headers)
        assert (restart.status_code, restart.json()["code"]) == (401, "scope_missing")


def test_a_field_of_one_choice_is_shown_with_it(visit, sign_in, desk, chromium):
    with visit() as page:
        sign_in(page)
        page.goto(f"{KEYS}add/")
        fields = [page.locator(f".field-{name}") for name in ("sites", "expires_on")]
        for field in fields:
            expect(field).to_be_hidden()
        page.check("input[name=reach][value=some]")
        page.check("input[name=expiry][value=date]")
        for field in fields:
            expect(field).to_be_visible()
        page.check("input[name=sites] >> nth=0")
        page.check("input[name=reach][value=every]")
        page.check("input[name=expiry][value=never]")
        page.fill("#id_name", "For every site")
        page.check("input[name=scope_Channels][value=read]")
        confirm(page, desk)
        assert shown_token(page)  # what is hidden was not sent
        context = chromium.new_context(base_url=desk.address, java_script_enabled=False)
        context.add_cookies(page.context.cookies())
        plain = context.new_page()
        plain.goto(f"{KEYS}add/")
        expect(plain.locator(".field-sites")).to_be_visible()
        expect(plain.locator(".field-expires_on")).to_be_visible()
        context.close()


def test_a_wrong_password_issues_nothing(visit, sign_in, desk):
    with visit() as page:
        sign_in(page)
        page.goto(f"{KEYS}add/")
        page.fill("#id_name", "Never issued")
        page.fill("#id_own_password", "not-mine-1")
        page.click("#content input[type=submit].default")
        expect(page.locator(".field-own_password .errorlist")).to_have_count(1)
        page.goto(KEYS)
        assert "Never issued" not in page.content()


def test_going_back_and_forward_shows_no_token_again(visit, sign_in, desk):
    with visit() as page:
        sign_in(page)
        page.goto(f"{KEYS}add/")
        page.fill("#id_name", "Looked at twice")
        confirm(page, desk)
        token = shown_token(page)
        page.click("#content .submit-row a")
        page.go_back()
        page.wait_for_load_state()
        assert token not in page.content()
