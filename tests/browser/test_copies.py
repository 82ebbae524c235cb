"""Copies of a channel and of a site: how many clicks and loaded pages they take."""

from tests.browser.counting import Counted
from tests.browser.test_channels import TREE, below, plant, row

SITES = "/admin/cms_sites/site/"


def test_a_channel_is_copied_with_three_clicks_and_two_pages_and_taken_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Fleet\n  Tugs\n    Small\n  Ferries")
        counted = Counted(page)
        counted.click(row(page, "Fleet").locator(".row-actions button"))
        counted.click(page.get_by_role("menuitem", name="Copy"))
        page.wait_for_load_state()
        assert "4 channels and 0 content items" in page.inner_text("form.wizard")
        counted.click(page.locator("input[type=submit].default"))
        page.wait_for_url("**/jobs/job/*/change/")
        page.wait_for_load_state()
        assert (counted.clicks, counted.loads) == (3, 2)
        page.get_by_role("link", name="Open the copy").click()
        assert below(page, "Fleet (copy)") == ["Tugs", "Ferries"]
        page.go_back()
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("The copy was moved to the trash.").wait_for()
        page.goto(TREE)
        assert row(page, "Fleet").count() == 1
        assert row(page, "Fleet (copy)").count() == 0


def test_a_site_is_copied_with_two_clicks_and_two_pages(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto(SITES)
        first = page.locator("#result_list tbody tr").first
        name = first.locator("th").inner_text()
        counted = Counted(page)
        counted.click(first.get_by_role("link", name=f"Copy the site “{name}”"))
        page.wait_for_load_state()
        counted.click(page.locator("input[type=submit].default"))
        page.wait_for_url("**/jobs/job/*/change/")
        page.wait_for_load_state()
        assert (counted.clicks, counted.loads) == (2, 2)
        page.get_by_role("heading", name=f"{name} (copy) is ready").wait_for()
        page.get_by_role("link", name="View its content and write").click()
        page.locator("#result_list tbody tr").first.wait_for()
