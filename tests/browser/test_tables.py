"""Tables in a browser: a file is looked at and imported by keyboard alone, in both languages, without an obstacle."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import COLOURS, barriers
from tests.browser.test_keys import is_in
from tools.browser import LANGUAGES

IMPORT = "/admin/accounts/user/import/"
ROWS = "userName,displayName,isChecked\nreader-1,读者一,True\nbad name,B,perhaps\n"


def tab_to(page, selector):
    """Go on with the tabulator until the element has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by keyboard.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_is_imported_by_keyboard(visit, sign_in, language):
    rows = ROWS.replace("reader-1", f"reader-{language}")
    with visit(language, width=390, height=844) as page:
        sign_in(page)
        page.goto(IMPORT)
        page.set_input_files("#id_file", {"name": "users.csv", "mimeType": "text/csv", "buffer": rows.encode()})
        tab_to(page, "#content input[type=submit].default")
        page.keyboard.press("Enter")
        page.wait_for_selector(".preview-rows")
        assert is_in(language, page.inner_text(".preview-rows .errorlist"))
        tab_to(page, "[name=leave_out]")
        page.keyboard.press("Space")
        tab_to(page, "[name=import]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".report-figures")
        assert is_in(language, page.inner_text("#job"))
        tab_to(page, "#job .next a.default")
        page.keyboard.press("Enter")
        page.wait_for_selector("#result_list")
        expect(page.locator(f"text=reader-{language}")).to_have_count(1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_table_is_stored_while_one_looks_on(visit, sign_in, language):
    rows = "userName\n" + "".join(f"crew-{language}-{number}\n" for number in range(400))
    with visit(language, width=390, height=844) as page:
        sign_in(page)
        page.goto(IMPORT)
        page.set_input_files("#id_file", {"name": "crew.csv", "mimeType": "text/csv", "buffer": rows.encode()})
        page.click("#content input[type=submit].default")
        page.click("[name=import]")
        page.wait_for_selector("#job")
        assert "crew.csv" in page.inner_text("h1")
        page.wait_for_selector("#job .report-figures", timeout=120_000)
        assert page.inner_text("#job .report-figures li >> nth=0").startswith("400")
        assert is_in(language, page.inner_text("#job"))
        # From here the way back leads to the job, and nothing is stored twice.
        page.go_back()
        page.wait_for_selector("#job .report-figures")


@pytest.mark.parametrize("colours", COLOURS)
def test_pages_of_users_and_tables_have_no_obstacles(chromium, desk, sign_in, colours):
    places = [
        IMPORT,
        "/admin/accounts/user/add/",
        "/admin/accounts/user/export/",
        "/admin/contents/content/export/?site__id__exact=1",
        "/admin/contents/content/import/?site__id__exact=1",
        "/admin/accounts/administrator/add/",
        "/admin/accounts/administrator/1/change/",
    ]
    # While axe looks for obstacles it tries styles that our policy refuses.
    context = chromium.new_context(base_url=desk.address, color_scheme=colours, bypass_csp=True)
    page, found = context.new_page(), {}
    sign_in(page)
    for place in places:
        page.goto(place)
        found[place] = barriers(page, of_all_rules=True)
    page.goto(IMPORT)
    page.set_input_files("#id_file", {"name": "users.csv", "mimeType": "text/csv", "buffer": ROWS.encode()})
    page.click("#content input[type=submit].default")
    page.wait_for_selector(".preview-rows")
    found["preview"] = barriers(page, of_all_rules=True)
    context.close()
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_what_is_exported_is_downloaded(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/export/?site__id__exact=1")
        with page.expect_download() as download:
            page.click("#content input[type=submit].default")
        assert download.value.suggested_filename.endswith(".csv")
        assert download.value.path().read_bytes().startswith(b"\xef\xbb\xbf")


def test_sites_are_found_by_typing(visit, sign_in, desk):
    making = "for n in range(14): create_site(f'Harbour {n}', site_dir=f'h{n}')"
    desk.installation.manage("shell", "-c", f"from channels_app.services import create_site\n{making}")
    with visit() as page:
        sign_in(page)
        page.goto("/admin/accounts/administrator/add/")
        boxes = page.locator(".field-sites .boxes > div")
        page.fill(".field-sites input[type=search]", "harbour 13")
        expect(boxes.locator("visible=true")).to_have_count(1)
        page.check(".field-sites .boxes label:visible input")
        assert page.inner_text(".field-sites [role=status]") == "Selected: 1"
