"""The frame in a real browser: menu, drawer, colours, languages, and that nothing is blocked or out of sight."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import ANIMATIONS_ENDED

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
                page.evaluate(ANIMATIONS_ENDED)
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


def test_groups_of_the_menu_stay_as_they_were_left(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        group = page.locator("details[data-name=users]")
        assert group.get_attribute("open") is not None
        page.focus("details[data-name=users] > summary")
        page.keyboard.press("Enter")
        page.goto("/admin/password_change/")
        assert group.get_attribute("open") is None
        page.goto("/admin/accounts/user/")  # where one is, it stands open
        assert group.get_attribute("open") is not None


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
        assert heading["y"] - 16 <= offer["y"] <= heading["y"] + heading["height"]
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


def test_pages_of_djangos_have_the_user_menu_of_all_others(visit, sign_in):
    with visit() as page:
        sign_in(page)
        menus = []
        for place in ("/admin/", "/admin/password_change/"):
            page.goto(place)
            page.click("#user-tools summary")
            menus.append(page.inner_text("#user-tools"))
        assert menus[0] == menus[1]


def test_the_menu_shows_where_one_is_and_closes_behind(visit, sign_in):
    with visit(width=1360, height=700) as page:
        sign_in(page)
        page.goto("/admin/audit/auditentry/")
        current = page.locator("#menu [aria-current]").bounding_box()
        assert 0 < current["y"] < 700 - current["height"]
        assert page.evaluate("scrollY") == 0
        assert "By kind of actor" in page.text_content("#changelist-filter")
        site = page.locator("#menu details[data-name^=site]").first.get_attribute("data-name")
        stored = page.evaluate("localStorage.getItem('menu')")
        assert site not in (stored or "")  # a group that a page has opened is not one that was opened by hand


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
