"""Restarting the service by a click."""

import pytest

from tools.browser import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_click_restarts_the_service_and_shows_by_whom(visit, sign_in, desk, language):
    with visit(language) as page:
        sign_in(page)
        page.goto("/admin/")
        page.click("#menu .menu-administration summary")
        page.click("#menu a[href='/admin/operation/node/']")
        # Servers of other tests may be listed too, silent.
        row = page.locator("#result_list tbody tr:not(.problem)", has_text=f":{desk.server.port}")
        before = row.inner_text()
        page.click("a.restart")
        page.click("#content input[type=submit].default")
        page.wait_for_selector("#servers:not(:has(.under-way))")
        after = row.inner_text()
        assert after != before and desk.name in after
        assert page.request.get("/api/v1/ping").text() == "pong"
