"""Files that are sent from the list of the media library."""

from playwright.sync_api import expect

from tests.browser.test_editor import picture
from tools.browser import drop


def test_files_are_dropped_on_the_list_each_with_its_answer(visit, sign_in):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/media_library/mediafile/?site__id__exact=1")
        tide = ("tide table.txt", "text/plain", b"High water at noon")
        drop(page, "main", tide, ("pier light.png", "image/png", picture(47)))
        names = page.locator("#result_list")
        expect(names.get_by_text("pier light")).to_be_visible()  # the list has been loaded again
        expect(names.get_by_text("tide table")).to_be_visible()
        drop(page, "main", tide, ("tool.exe", "", b"MZ"), ("new hours.txt", "text/plain", b"10 to 18"))
        main = page.locator("main")
        expect(main.get_by_role("status").first).to_contain_text("tide table.txt: 1 file is in the library already")
        refused = main.get_by_role("alert").filter(has_text="The site accepts only files of these types")
        expect(refused).to_be_visible()
        main.get_by_role("button", name="Show the new files").click()
        expect(names.get_by_text("new hours")).to_be_visible()


def test_a_click_on_upload_asks_for_files_at_once(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/media_library/mediafile/?site__id__exact=1")
        with page.expect_file_chooser() as chosen:
            page.get_by_role("link", name="Upload files").click()
        assert chosen.value.is_multiple()
