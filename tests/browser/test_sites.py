"""Sites in a real browser: the wizard by keyboard, a site template with its upload, and the settings."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.counting import Counted
from tools.site_templates import OLD_SITE, Template, feed, old_channel, old_content

expect.set_options(timeout=60_000)  # a process has to begin, on a machine that may have much to do
PHONE = {"width": 390, "height": 844}


def assert_accessible(page):
    # The frame, and what Django puts around lists, are looked at by tests of their own.
    assert barriers(page, "form.wizard, form#site_form, #job, #result_list", of_all_rules=True) == []


def is_within(page):
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(("language", "colours", "size"), [
    ("en", "light", {}), ("zh-hans", "dark", PHONE),
])  # fmt: skip
def test_a_site_is_made_by_keyboard_alone(visit, sign_in, language, colours, size):
    folder = f"quay-{language}"
    with visit(language, colours=colours, **size) as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/add/")
        assert_accessible(page)
        page.focus("#id_site_name")
        page.keyboard.type("Quay")
        page.keyboard.press("Tab")
        page.keyboard.type("admin")
        expect(page.locator(".folder-news.problem")).to_be_visible()
        page.keyboard.press("Control+A")
        page.keyboard.type(folder)
        expect(page.locator(".folder-news:not(.problem)")).not_to_be_empty()
        page.keyboard.press("Enter")
        page.wait_for_url("**step=begin")
        assert_accessible(page)
        page.focus("input[name=begin]:checked")
        page.keyboard.press("ArrowDown")  # from nothing to channels that are typed
        page.keyboard.press("Enter")
        page.wait_for_url("**step=channels")
        assert_accessible(page)
        assert is_within(page)
        page.focus("#id_outline")
        page.keyboard.press("Control+End")
        page.keyboard.type("\nLighthouse")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**step=people")
        assert_accessible(page)
        page.focus(".submit-row input")
        page.keyboard.press("Enter")
        page.wait_for_url("**step=summary")
        assert_accessible(page)
        assert "Lighthouse" in page.locator(".tree").inner_text()
        page.focus(".submit-row input")
        page.keyboard.press("Enter")
        page.wait_for_url("**/jobs/job/*/change/")
        expect(page.locator(".next-steps")).to_be_visible()
        assert_accessible(page)
        assert is_within(page)
        expect(page.locator("#job table")).to_contain_text("Lighthouse")


@pytest.fixture
def package(tmp_path):
    entries = [old_content(number) for number in range(1, 30)]
    template = Template(
        site=OLD_SITE
        | {"PublishmentSystemDir": tmp_path.name[:40].replace("_", "-").replace("[", "").replace("]", "")},
        channels={"1": feed(old_channel(7), entries)},
        others={"upload/images/a.png": "x", "index.html": "x"},
    )
    return template.write_zip(tmp_path / "T_Port.zip")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_site_template_is_uploaded_looked_through_and_imported(visit, sign_in, package, scripts, chromium, desk):
    with visit() as page:
        sign_in(page)
        if not scripts:
            cookies = page.context.cookies()
            context = chromium.new_context(base_url=desk.address, java_script_enabled=False, locale="en-US")
            context.add_cookies(cookies)
            page = context.new_page()
        page.goto("/admin/cms_sites/site/template/")
        page.set_input_files("#id_file", package)
        page.click("form.template-upload input[type=submit]")
        page.wait_for_url("**/jobs/job/*/change/")
        await_text(page, "Continue and import it", scripts)
        if scripts:
            assert_accessible(page)
            assert fills_its_frame(page, ".channels-report table")
        page.click(".next .button")
        page.wait_for_url("**step=place**")
        for _ in ("place", "people", "summary"):
            page.click("form.wizard .submit-row input[type=submit]")
        page.wait_for_url("**/jobs/job/*/change/")
        await_text(page, "Next steps", scripts)
        assert "29" in page.locator(".report-figures").inner_text()


def fills_its_frame(page, table):
    """Whether the table, and the rows in it, are as wide as the frame on a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    widths = "table => [table.parentElement.clientWidth, table.tBodies[0].rows[0].offsetWidth]"
    frame, row = page.eval_on_selector(table, widths)
    return row >= frame


def test_a_history_is_scrolled_within_its_frame_on_a_phone(visit, sign_in):
    with visit(width=390) as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/1/history/")
        frame = page.locator(".results")
        expect(frame).to_have_css("overflow-x", "auto")
        assert_accessible(page)
        assert is_within(page)


def await_text(page, text, scripts):
    """Wait for the text; without scripts the link shows how far it is."""
    for _ in range(100):
        if page.get_by_text(text).count():
            return
        if scripts:
            expect(page.get_by_text(text)).to_be_visible()
        else:
            page.click("a.again")
            page.wait_for_timeout(200)
    raise AssertionError(page.content())


def open_group_of(page, field):
    page.evaluate("id => { location.hash = document.getElementById(id).closest('.settings-group').id; }", field)
    page.locator(f"#{field}").wait_for(state="attached")


def test_a_group_of_settings_is_shown_at_a_time_and_names_for_programs_on_request(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/1/change/")
        groups = page.locator(".settings-group:visible")
        expect(groups).to_have_count(1)
        page.get_by_role("link", name="Watermark").click()
        expect(groups).to_have_count(1)
        expect(page.get_by_role("heading", name="Watermark")).to_be_visible()
        expect(page.locator(".settings-nav [aria-current]")).to_have_text("Watermark")
        expect(page.get_by_text("(isWaterMark)")).to_be_hidden()
        page.get_by_label("Show names for programs").check()
        expect(page.get_by_text("(isWaterMark)")).to_be_visible()
        page.reload()
        expect(page.get_by_text("(isWaterMark)")).to_be_visible()


def test_settings_are_searched_hidden_and_put_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/")
        page.click("#result_list tbody th a")
        open_group_of(page, "id_isSeparatedWeb")
        expect(page.locator("[data-name=separatedWebUrl]")).to_be_hidden()
        page.check("#id_isSeparatedWeb")
        expect(page.locator("[data-name=separatedWebUrl]")).to_be_visible()
        page.click("[data-name=isSeparatedWeb] .back")
        expect(page.locator("#id_isSeparatedWeb")).not_to_be_checked()
        page.fill("#settings-search", "rows a page")
        expect(page.locator("[data-name=pageSize]")).to_be_visible()
        expect(page.locator("[data-name=charset]")).to_be_hidden()
        shown = page.evaluate("location.hash")
        page.click(f".settings-nav a[href='{shown}']")
        expect(page.locator("#settings-search")).to_have_value("")
        page.fill("#settings-search", "rows a page")
        page.fill("#id_pageSize", "44")
        page.click("[data-name=pageSize] .back")
        assert page.input_value("#id_pageSize") == "30"
        page.fill("#id_pageSize", "45")
        page.click("input[name=_continue]")
        page.wait_for_url(re.compile("/change/"))
        assert page.input_value("#id_pageSize") == "45"


def test_the_list_of_what_is_wrong_leads_to_the_fields(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/1/change/")
        open_group_of(page, "id_contentFilePathRule")
        page.fill("#id_contentFilePathRule", "/news/static.html")
        open_group_of(page, "id_createStaticMaxPage")
        page.evaluate("document.getElementById('id_createStaticMaxPage').closest('details').open = true")
        page.fill("#id_createStaticMaxPage", "-1")
        page.click("input[name=_continue]")
        expect(page.locator(".wrong-fields a")).to_have_count(2)
        # A search and a closed group hide fields, not the way to them.
        page.evaluate("document.getElementById('id_createStaticMaxPage').closest('details').open = false")
        page.fill("#settings-search", "jquery")
        page.click(".wrong-fields a[href='#id_createStaticMaxPage']")
        expect(page.locator("#id_createStaticMaxPage")).to_be_focused()
        expect(page.locator("#id_createStaticMaxPage")).to_be_in_viewport()
        page.click(".wrong-fields a[href='#id_contentFilePathRule']")
        expect(page.locator("#id_contentFilePathRule")).to_be_focused()


@pytest.mark.parametrize(
    ("language", "colours", "size"), [("zh-CN", "dark", {}), ("zh-CN", "light", PHONE), ("en-US", "light", {})]
)
def test_the_pages_of_sites_are_accessible_and_fit(chromium, desk, sign_in, language, colours, size):
    # While axe looks for barriers it tries styles that our policy refuses.
    options = {"viewport": size or {"width": 1280, "height": 900}, "locale": language, "color_scheme": colours}
    context = chromium.new_context(base_url=desk.address, bypass_csp=True, **options)
    page = context.new_page()
    sign_in(page)
    for place in ("cms_sites/site/", "cms_sites/site/template/", "cms_sites/site/1/change/"):
        page.goto(f"/admin/{place}")
        assert_accessible(page)
        assert is_within(page), place
    open_group_of(page, "id_contentFilePathRule")
    page.fill("#id_contentFilePathRule", "/news/static.html")
    page.click("input[name=_continue]")
    expect(page.locator(".wrong-fields a")).to_be_visible()
    assert_accessible(page)
    assert is_within(page)
    page.fill("#id_contentFilePathRule", "/news/{@channelName}/{@contentId}.html")
    page.click("input[name=_continue]")
    expect(page.locator(".conflict li").first).to_be_visible()
    assert_accessible(page)
    assert is_within(page)
    page.click(".conflict a")
    expect(page.locator("#id_contentFilePathRule")).to_be_focused()
    expect(page.locator("#id_contentFilePathRule")).to_have_value("/news/{@channelName}/{@contentId}.html")
    context.close()


@pytest.mark.parametrize(("language", "colours"), [("en", "light"), ("zh-hans", "dark")])
def test_a_site_is_deleted_and_comes_back_in_three_clicks_each(visit, sign_in, desk, language, colours):
    name = f"Lock {language}"
    desk.installation.manage("create_site", name, "--site-dir", f"lock-{language}")
    with visit(language, colours=colours) as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/")
        work, row = Counted(page), page.locator("#result_list tr", has_text=name)
        work.click(row.locator(".field-trash a"))
        expect(page.locator("dialog form.wizard")).to_be_visible()
        assert barriers(page, "dialog form.wizard", of_all_rules=True) == []
        page.fill("dialog #id_site_name", name)
        work.click(page.locator("dialog input[type=submit]"))
        expect(page.locator(".messagelist .success")).to_contain_text(name)
        expect(row).to_have_count(0)
        assert page.request.get(f"/lock-{language}/").status == 404
        work.check(clicks=2, loads=2)
        work = Counted(page)
        work.click(page.locator(".messagelist .success a"))
        work.click(row.locator(".field-restore a"))
        expect(page.locator("dialog form.wizard")).to_be_visible()
        assert barriers(page, "dialog form.wizard, #result_list", of_all_rules=True) == []
        work.click(page.locator("dialog input[type=submit]"))
        page.wait_for_url("**/cms_sites/site/")
        expect(row).to_have_count(1)
        work.check(clicks=3, loads=3)
        # For good, and so leave nothing behind.
        row.locator(".field-trash a").click()
        page.fill("dialog #id_site_name", name)
        page.click("dialog input[type=submit]")
        page.locator(".messagelist .success a").click()
        row.locator(".field-purge a").click()
        page.fill("dialog #id_site_name", name)
        page.click("dialog input[type=submit]")
        page.wait_for_url("**/jobs/job/*/change/")
        expect(page.locator(".report-figures")).to_be_visible()
