"""Acts on many contents in a browser: choosing, asking, doing, taking back, and finding a channel by typing."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import COLOURS, barriers

CONTENTS = "/admin/contents/content/"


def choose(page, number):
    """Tick the first contents of the list."""
    page.goto(CONTENTS)
    boxes = page.locator(".action-select")
    for place in range(number):
        boxes.nth(place).check()


def press(page, name):
    page.locator(f'.action-bar button[value="{name}"]').click()


def messages(page):
    return [each.strip() for each in page.locator(".messagelist li").all_inner_texts()]


def test_what_was_done_is_taken_back_by_one_click(visit, sign_in):
    with visit() as page:
        sign_in(page)
        choose(page, 2)
        assert "2 of " in page.locator(".action-counter").inner_text()
        press(page, "recommend")
        page.locator("button.undo").click()
        expect(page.locator(".messagelist")).to_contain_text("undone")
        expect(page.locator("button.undo")).to_have_count(0)


def test_the_menu_of_other_acts_opens_and_closes_by_the_keyboard(visit, sign_in):
    with visit() as page:
        sign_in(page)
        choose(page, 1)
        more = page.locator(".action-bar .more-actions")
        more.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(more.locator('button[value="add-tags"]')).to_be_visible()
        page.keyboard.press("Escape")
        expect(more.locator('button[value="add-tags"]')).to_be_hidden()
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize("name", ["move", "copy"])
def test_a_channel_is_found_by_typing(visit, sign_in, name):
    with visit() as page:
        sign_in(page)
        choose(page, 1)
        press(page, name)
        dialog = page.get_by_role("dialog")
        field = dialog.get_by_role("combobox")
        expect(field).to_be_focused()
        channels = page.locator("#id_channel option:not([disabled])").all_inner_texts()
        target = channels[len(channels) // 2].strip("— ")
        field.fill(target.upper())
        found = dialog.get_by_role("option")
        expect(found.first).to_be_visible()
        assert len(found.all_inner_texts()) < len(channels)
        assert all(target.casefold() in each.casefold() for each in found.all_inner_texts())
        found.filter(has_text=re.compile(f"{re.escape(target)}$")).first.click()
        assert field.input_value().endswith(target)
        chosen = page.locator("#id_channel").evaluate("list => list.selectedOptions[0].text")
        assert chosen.strip("— ") == target


def test_without_scripts_everything_works_too(chromium, desk, sign_in):
    context = chromium.new_context(base_url=desk.address, locale="en-US", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto(CONTENTS)
    page.locator(".action-select").first.check()
    page.locator('.action-bar button[value="move"]').click()
    options = page.locator("#id_channel option:not([disabled])")
    page.select_option("#id_channel", options.nth(options.count() - 1).get_attribute("value"))
    page.locator("input.default").click()
    page.wait_for_selector(".messagelist")
    assert messages(page)
    page.goto(f"{CONTENTS}waiting/")
    assert page.locator(".action-bar .action-approve").is_visible() or page.locator(".nothing").is_visible()
    context.close()


@pytest.mark.parametrize("colours", COLOURS)
def test_the_pages_of_acts_have_no_flaws(chromium, desk, sign_in, colours):
    # What looks for flaws writes styles into the page, which our policy would complain about.
    context = chromium.new_context(base_url=desk.address, locale="zh-CN", color_scheme=colours, bypass_csp=True)
    page = context.new_page()
    sign_in(page)
    choose(page, 1)
    page.locator(".action-bar .more-actions summary").click()
    assert barriers(page, ".action-bar") == []
    page.keyboard.press("Escape")
    for view in ("actions/move/?ids=1,2", "actions/add-tags/?ids=1,2", "waiting/", "unfinished/"):
        page.goto(f"{CONTENTS}{view}")
        assert barriers(page, ".content") == []
    context.close()


@pytest.mark.parametrize("view", ["waiting/", "unfinished/", "actions/move/?ids=1"])
def test_nothing_is_wider_than_a_phone(visit, sign_in, view):
    with visit("zh-hans", width=390, height=844) as page:
        sign_in(page)
        page.goto(f"{CONTENTS}{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_contents_are_cards_and_the_acts_stay_in_sight(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        box = page.locator(".results")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        page.locator(".action-select").first.check()
        page.evaluate("scrollTo(0, 2500)")
        bar = page.locator(".action-bar").bounding_box()
        assert bar["y"] > 844 / 2 and bar["y"] + bar["height"] <= 844


def test_on_a_phone_acts_appear_once_something_is_chosen_and_the_keyboard_leads_there(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        for place in (CONTENTS, "/admin/accounts/administrator/", f"{CONTENTS}waiting/"):
            page.goto(place, wait_until="networkidle")
            expect(page.locator(".action-buttons")).to_be_hidden()
            page.locator(".action-select, [name=ids]").first.focus()
            page.keyboard.press("Space")
            expect(page.locator(".action-buttons")).to_be_visible()
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.closest('.action-buttons') !== null")


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_a_long_list_of_channels_opens_within_the_page(visit, sign_in, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto(f"{CONTENTS}actions/move/?ids=1", wait_until="networkidle")
        assert page.evaluate("scrollY") == 0
        field = page.get_by_role("combobox").bounding_box()
        button = page.locator(".action input[type=submit].default").bounding_box()
        assert button["y"] - field["y"] - field["height"] < 100
        page.get_by_role("combobox").click()
        rows = page.get_by_role("listbox").bounding_box()
        assert rows["height"] > 100
        assert rows["x"] >= 0 and rows["x"] + rows["width"] <= width


def test_on_a_small_screen_no_column_is_cut_off(visit, sign_in):
    with visit(width=1280) as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        assert page.locator(".results").evaluate("box => box.scrollWidth <= box.clientWidth")


@pytest.mark.parametrize("view", ["", "waiting/"])
def test_acts_are_offered_once_something_is_chosen(visit, sign_in, view):
    with visit() as page:
        sign_in(page)
        page.goto(f"{CONTENTS}{view}")
        admin_actions, boxes = (
            page.locator(".action-bar .action-buttons button"),
            page.locator('.action-select, [name="ids"]'),
        )
        assert not any(action.is_enabled() for action in admin_actions.all())
        boxes.first.check()
        assert all(action.is_enabled() for action in admin_actions.all())
        boxes.first.uncheck()
        assert not any(action.is_enabled() for action in admin_actions.all())
        page.locator("#action-toggle, [data-choose-all]").check()
        assert all(action.is_enabled() for action in admin_actions.all())


@pytest.mark.parametrize("width", [390, 1280])
def test_what_waits_is_decided_on_one_after_the_other(chromium, desk, sign_in, width):
    viewport = {"width": width, "height": 900}
    context = chromium.new_context(base_url=desk.address, locale="en-US", viewport=viewport, bypass_csp=True)
    page = context.new_page()
    sign_in(page)
    page.goto(f"{CONTENTS}waiting/?site=")
    page.locator("form.waiting .headline").first.click()
    page.wait_for_url("**/review/**")
    assert barriers(page, ".content") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    begun, following = page.url.partition("?")[0], page.locator(".review-next").get_attribute("href")
    page.locator(".action-reject").click()  # without a reason: the browser asks for one
    assert page.evaluate("document.activeElement.id") == "reasons"
    assert page.url.partition("?")[0] == begun
    page.fill("#reasons", "Too long.")
    page.locator(".action-reject").click()
    page.wait_for_selector(".messagelist")
    assert page.url.endswith(following)
    page.locator("button.undo").click()
    page.wait_for_url(lambda url: url.partition("?")[0] == begun)
    page.locator(".action-approve").click()  # needs no reasons
    page.wait_for_selector(".messagelist >> text=approved")
    assert page.url.endswith(following)
    page.locator("button.undo").click()
    page.wait_for_url(lambda url: url.partition("?")[0] == begun)
    context.close()


def test_heads_stand_above_their_cells_and_boxes_beside_their_words(visit, sign_in):
    left = """(nodes) => nodes.map((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return Math.round(range.getBoundingClientRect().left);
    })"""
    off_middle = """(label) => {
        const range = document.createRange();
        range.selectNodeContents(label.lastChild);
        const box = label.querySelector("input").getBoundingClientRect(), words = range.getBoundingClientRect();
        return Math.abs(box.top + box.bottom - words.top - words.bottom) / 2;
    }"""
    with visit() as page:
        sign_in(page)
        page.goto("/admin/audit/auditentry/")
        heads = page.locator("#result_list thead .text > *").evaluate_all(left)
        assert heads == page.locator("#result_list tbody tr:first-child > *").evaluate_all(left)
        page.goto("/admin/auth/group/add/")
        assert page.locator(".boxes label").first.evaluate(off_middle) < 2
