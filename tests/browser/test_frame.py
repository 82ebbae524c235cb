"""The frame in a real browser: menu, drawer, colours, languages, and that nothing is blocked or out of sight."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import ANIMATIONS_ENDED
from tests.browser.conftest import new_desk

# Texts whose contrast with what is behind them is below 4.5, as WCAG counts it.
FAINT = """() => {
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const read = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = read(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const shown = (e) => e.checkVisibility({visibilityProperty: true}) && !e.closest(".visually-hidden, svg");
  const says = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll("body *")].filter((e) => says(e) && shown(e)).filter((e) => {
    const [low, high] = [light(read(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05) < 4.5;
  }).map((e) => e.textContent.trim().slice(0, 40));
}"""
SMALL = """() => [...document.querySelectorAll("button, summary, .menu-link, .button, [type=submit], .object-tools a")]
  .filter((e) => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height < 43.5)
  .map((e) => `${e.tagName} ${e.textContent || e.value}`.trim())"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
PAGES = [
    "/admin/",
    "/admin/contents/content/",
    "/admin/contents/content/1/change/",
    "/admin/cms_sites/site/1/change/",
    "/admin/apikeys/apikey/",
    "/admin/apikeys/apikey/add/",
    "/admin/operation/node/",
    "/admin/audit/auditentry/",
    "/admin/accounts/administrator/add/",
    "/admin/password_change/",
]


def test_every_text_can_be_read_in_light_and_in_dark_colours(visit, sign_in):
    found = {}
    with visit() as page:
        sign_in(page)
        for place in PAGES:
            page.goto(place)
            for colours in ("light", "dark"):
                page.emulate_media(color_scheme=colours)
                page.wait_for_function(ANIMATIONS_ENDED)
                found[place, colours] = page.evaluate(FAINT)
    assert {where: faint for where, faint in found.items() if faint} == {}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_phone_shows_every_page_without_scrolling_sideways_and_with_room_for_fingers(visit, sign_in, language):
    with visit(language, width=390, height=844) as page:
        sign_in(page)
        for place in PAGES:
            page.goto(place)
            assert (place, page.evaluate(TOO_WIDE), page.evaluate(SMALL)) == (place, 0, [])


def test_the_drawer_of_a_phone_opens_takes_the_focus_and_closes(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        page.goto("/admin/")
        assert not page.is_visible("#menu")
        page.click("#menu-button")
        page.wait_for_selector("#menu", state="visible")
        assert page.evaluate("document.activeElement.closest('#menu') !== null")
        page.keyboard.press("Escape")
        page.wait_for_selector("#menu", state="hidden")
        assert page.evaluate("document.activeElement.id") == "menu-button"


SHIFTED = """() => new Promise((tell) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => { sum += one.value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => tell(sum), 300);
})"""


def test_the_menu_is_narrow_from_the_beginning_of_the_next_page(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/accounts/user/")
        menu, panel = page.locator("#menu"), page.locator(".menu-administration")
        assert (menu.bounding_box()["width"], panel.get_attribute("open")) == (216, "")
        page.click("#menu-width")
        assert (menu.bounding_box()["width"], panel.get_attribute("open")) == (56, None)
        page.goto("/admin/")
        assert (menu.bounding_box()["width"], page.evaluate(SHIFTED)) == (56, 0)
        # What has the focus or the pointer shows its name.
        start = page.get_by_role("link", name="Start", exact=True)
        assert page.get_by_role("link", name="Calendar", exact=True).count() == 1
        assert start.locator(".menu-label").evaluate("e => getComputedStyle(e).clipPath") != "none"
        start.hover()
        assert start.locator(".menu-label").evaluate("e => getComputedStyle(e).clipPath") == "none"
        page.click("#menu-width")
        assert menu.bounding_box()["width"] == 216
        page.reload()
        assert menu.bounding_box()["width"] == 216


def test_the_administration_lies_beside_a_narrow_menu_and_closes(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        page.click("#menu-width")
        summary, panel = page.locator(".menu-administration summary"), page.locator(".menu-administration .menu-panel")
        summary.click()
        assert panel.bounding_box()["x"] == 56
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(summary).to_be_focused()
        summary.click()
        page.mouse.click(900, 500)
        expect(panel).to_be_hidden()


_SITES = """
from django.core.management import call_command
for number in range(9):
    call_command("create_site", f"Branch {number}", site_dir=f"branch-{number}")
"""


def test_a_site_is_chosen_by_keyboard_and_found_without_scripts(chromium, sign_in, tmp_path):
    with new_desk(tmp_path) as desk:
        desk.installation.manage("shell", "--no-imports", "-c", _SITES)
        for has_scripts in (True, False):
            context = chromium.new_context(base_url=desk.address, locale="en-US", java_script_enabled=has_scripts)
            page = context.new_page()
            sign_in(page, desk.name, desk.password)
            page.goto("/admin/contents/contenttag/?site__id__exact=1")
            switch = page.locator(".menu-sites summary")
            switch.press("Enter")
            if has_scripts:
                page.keyboard.press("Escape")
                expect(page.locator(".menu-sites .menu-panel")).to_be_hidden()
                expect(switch).to_be_focused()
                page.keyboard.press("Enter")
            page.fill(".menu-sites [name=q]", "branch 7")
            page.keyboard.press("Enter")
            expect(switch).to_contain_text("Branch 7")
            expect(page.locator("#menu [aria-current=page]")).to_have_text("Tags")
            page.goto("/admin/")
            expect(switch).to_contain_text("Branch 7")
            context.close()


@pytest.mark.parametrize("width", [800, 1024, 1440])
@pytest.mark.parametrize("place", ["/admin/", "/admin/cms_sites/site/", "/admin/cms_sites/site/1/change/"])
def test_what_a_page_offers_stands_beside_its_heading(visit, sign_in, place, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto(place)
        heading, offer = (
            page.locator("#content h1").bounding_box(),
            page.locator(".object-tools li").first.bounding_box(),
        )
        has_room = width > 800 or not place.endswith("/site/")  # else the row above the list continues below
        assert heading["y"] - 16 <= offer["y"]
        assert offer["y"] <= heading["y"] + heading["height"] or not has_room
        assert offer["x"] >= heading["x"] + heading["width"] / 2


_LONG_NAMES = """
from accounts.models import Administrator
named = {"email": "margaret.blackwood@harbour-museum.example.org", "mobile": "13800138000"}
Administrator.objects.create_user("margaret.blackwood", "tide-table-7", display_name="Margaret Blackwood", **named)
"""


def test_the_list_of_administrators_fits_beside_its_filters(visit, sign_in, desk):
    desk.installation.manage("shell", "--no-imports", "-c", _LONG_NAMES)
    with visit(width=1440) as page:
        sign_in(page)
        page.goto("/admin/accounts/administrator/")
        assert page.locator(".results").evaluate("box => box.scrollWidth - box.clientWidth") == 0


def test_colours_and_language_are_chosen_before_signing_in_and_stay(visit, fill_in_sign_in):
    with visit() as page:
        page.goto("/admin/")
        page.click(".theme-toggle")
        page.click("button[lang=zh-Hans]")
        fill_in_sign_in(page)
        assert page.get_attribute("html", "data-theme") == "dark"
        assert page.get_attribute("html", "lang") == "zh-hans"
        assert page.inner_text("h1").startswith("欢迎您")
        page.click(".account-menu summary")
        expect(page.locator(".account-menu button[lang=en]")).to_be_visible()
        page.click(".account-menu .theme-toggle")
        assert page.get_attribute("html", "data-theme") == "light"


def test_pages_of_djangos_have_the_user_menu_of_all_others(visit, sign_in):
    with visit() as page:
        sign_in(page)
        menus = []
        for place in ("/admin/", "/admin/password_change/"):
            page.goto(place)
            page.click(".account-menu summary")
            menus.append(page.inner_text(".account-menu"))
        assert menus[0] == menus[1]


def test_the_menu_shows_where_one_is(visit, sign_in):
    with visit(width=1360, height=700) as page:
        sign_in(page)
        page.goto("/admin/audit/auditentry/")
        current = page.locator("#menu [aria-current]").bounding_box()
        assert 0 < current["y"] < 700 - current["height"]
        assert page.evaluate("scrollY") == 0
        assert "By kind of actor" in page.text_content("#changelist-filter")


def test_a_wrong_password_of_ones_own_is_where_the_focus_is(visit, sign_in):
    with visit(height=700) as page:
        sign_in(page)
        page.goto("/admin/accounts/administrator/add/")
        page.fill("#id_user_name", "keeper")
        page.fill("#id_password", "Lantern-harbour-7")
        page.fill("#id_own_password", "not-mine-1")
        page.click("input[name=_save]")
        page.bring_to_front()  # a page in the background has no focus
        expect(page.locator("#id_own_password")).to_be_focused()
        page.goto("/admin/accounts/administrator/")
        page.locator("#result_list tbody th a").first.click()
        assert page.locator(".recent").evaluate("e => getComputedStyle(e).marginLeft") == "0px"
