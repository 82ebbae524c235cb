"""Copies of a channel and of a site."""

from tests.browser.test_channels import TREE, below, plant, row

SITES = "/admin/cms_sites/site/"


def test_a_channel_is_copied_and_taken_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Fleet\n  Tugs\n    Small\n  Ferries")
        row(page, "Fleet").locator(".row-actions button").click()
        page.get_by_role("menuitem", name="Copy").click()
        assert "4 channels and 0 content items" in page.inner_text("dialog form.wizard")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.closest('tr').dataset.name") == "Fleet"
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Copy").click()
        page.locator("input[type=submit].default").click()
        page.wait_for_url("**/jobs/job/*/change/")
        page.get_by_role("link", name="Open the copy").click()
        assert below(page, "Fleet (copy)") == ["Tugs", "Ferries"]
        page.go_back()
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("The copy was moved to the trash.").wait_for()
        page.goto(TREE)
        assert row(page, "Fleet").count() == 1
        assert row(page, "Fleet (copy)").count() == 0


def test_a_site_is_copied(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto(SITES)
        copy = page.locator("#result_list a[href*='/site/1/copy/']")
        name = copy.get_attribute("aria-label").removeprefix("Copy the site “").removesuffix("”")
        copy.click()
        page.locator("input[type=submit].default").click()
        page.wait_for_url("**/jobs/job/*/change/")
        page.get_by_role("heading", name=f"{name} (copy) is ready").wait_for()
        page.get_by_role("link", name="View its content and write").click()
        page.locator("#result_list tbody tr").first.wait_for()
