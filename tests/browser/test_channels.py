"""The tree of channels in a real browser: by mouse, by keys, by finger, in two windows at once."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers

SITE = 1
TREE = f"/admin/channels_app/channel/site/{SITE}/"
SEVERAL = f"{TREE}several/"


def plant(page, text):
    """Channels that the test may do with as it likes, below one of their own; the answer is its name."""
    page.goto(SEVERAL)
    page.fill("#id_names", text)
    page.click("input[type=submit].default")
    page.click("input[name=add]")
    page.wait_for_url("**/site/1/?open=*")
    assert page.evaluate("scrollY") == 0  # the message is in sight
    page.goto(TREE)


def row(page, name):
    return page.locator(f'#tree tr[data-name="{name}"]')


def below(page, name):
    """The names of the rows below the channel, as deep as they stand: `["A", "-A1"]`."""
    found = page.locator("#tree tr[data-id]").evaluate_all("rows => rows.map(r => [r.dataset.name, +r.dataset.level])")
    start = next(place for place, (each, _) in enumerate(found) if each == name)
    names = []
    for each, level in found[start + 1 :]:
        if level <= found[start][1]:
            break
        names.append("-" * (level - found[start][1] - 1) + each)
    return names


def drag(page, name, target, part, *, release=True):
    """Drag the row to a height of the other one: 0 its top, 1 its bottom."""
    row(page, name).scroll_into_view_if_needed()
    start = row(page, name).bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    row(page, target).scroll_into_view_if_needed()
    end = row(page, target).bounding_box()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] * part, steps=8)
    if release:
        page.mouse.up()


def news(page, text):
    page.locator("#tree-news p", has_text=text).wait_for()


def test_rows_are_dragged_before_behind_and_onto_others_and_taken_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Mouse\n  A\n  B\n  C")
        drag(page, "C", "A", 0.1)
        news(page, "“C” is now below “Mouse”: 1 of 3.")
        assert below(page, "Mouse") == ["C", "A", "B"]
        drag(page, "C", "A", 0.9)
        news(page, "2 of 3")
        assert below(page, "Mouse") == ["A", "C", "B"]
        drag(page, "B", "A", 0.5)
        news(page, "“B” is now below “A”")
        assert below(page, "Mouse") == ["A", "-B", "C"]
        page.click("#tree-news button")
        news(page, "“B” is now below “Mouse”")
        assert below(page, "Mouse") == ["A", "C", "B"]


def test_a_row_cannot_be_dragged_below_itself_and_escape_lets_go(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Stay\n  S1\n    S2")
        drag(page, "S1", "S2", 0.5, release=False)
        expect(page.locator("#tree [class*=mark-]")).to_have_count(0)
        page.mouse.up()
        drag(page, "S2", "Stay", 0.5, release=False)
        expect(page.locator("#tree .mark-last")).to_have_count(1)
        page.keyboard.press("Escape")
        news(page, "Nothing was moved.")
        page.mouse.up()
        assert below(page, "Stay") == ["S1", "-S2"]


def test_a_closed_channel_opens_under_a_dragged_one(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Hover\n  Closed\n    Inner\n  Guest")
        row(page, "Closed").locator("button.turn").click()
        assert below(page, "Hover") == ["Closed", "Guest"]
        drag(page, "Guest", "Closed", 0.5, release=False)
        row(page, "Inner").wait_for()
        box = row(page, "Inner").bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 3, steps=4)
        page.mouse.up()
        news(page, "“Guest” is now below “Closed”: 1 of 2.")
        assert below(page, "Hover") == ["Closed", "-Guest", "-Inner"]


def test_several_chosen_rows_are_dragged_together(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Group\n  G1\n  G2\n  G3")
        row(page, "G1").locator("input").check()
        row(page, "G2").locator("input").check()
        drag(page, "G2", "G3", 0.9)
        news(page, "2 channels were moved.")
        assert below(page, "Group") == ["G3", "G1", "G2"]


def test_keys_move_a_channel_and_take_it_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Keys\n  K1\n  K2\n  K3")
        row(page, "K3").focus()
        page.keyboard.press("Alt+ArrowUp")
        page.keyboard.press("Alt+ArrowUp")
        news(page, "“K3” is now below “Keys”: 1 of 3.")
        assert below(page, "Keys") == ["K3", "K1", "K2"]
        page.keyboard.press("Alt+ArrowDown")
        news(page, "2 of 3")
        page.keyboard.press("Alt+ArrowRight")
        news(page, "“K3” is now below “K1”")
        assert below(page, "Keys") == ["K1", "-K3", "K2"]
        page.keyboard.press("Alt+ArrowLeft")
        news(page, "“K3” is now below “Keys”: 2 of 3.")
        page.keyboard.press("Control+z")
        news(page, "“K3” is now below “K1”")
        assert below(page, "Keys") == ["K1", "-K3", "K2"]
        assert page.evaluate("document.activeElement.dataset.name") == "K3"


def test_a_channel_at_the_end_says_that_it_stays(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "End\n  Only")
        row(page, "Only").focus()
        page.keyboard.press("Alt+ArrowDown")
        news(page, "“Only” cannot go any further that way.")
        assert below(page, "End") == ["Only"]


def test_arrows_go_through_the_tree_and_one_tab_leaves_the_rows(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Walk\n  W1\n    W2")
        focused = "document.activeElement.dataset.name"
        row(page, "Walk").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate(focused) == "W1"
        page.keyboard.press("ArrowLeft")
        assert (below(page, "Walk"), page.evaluate(focused)) == (["W1"], "W1")
        assert row(page, "W1").get_attribute("aria-expanded") == "false"
        page.keyboard.press("ArrowRight")
        row(page, "W2").wait_for()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(focused) == "Walk"
        page.keyboard.press("Home")
        assert page.evaluate("document.activeElement.getAttribute('aria-level')") == "1"
        expect(page.locator("#tree tbody tr[tabindex='0']")).to_have_count(1)


_WATCH = """() => {
    window.changed = new Set();
    const note = (changes) => changes.forEach(({ target }) => window.changed.add(target.closest("tr")));
    const options = { subtree: true, attributes: true };
    new MutationObserver(note).observe(document.querySelector("#tree tbody"), options);
}"""


def test_a_key_changes_two_rows_however_many_are_open(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto(TREE)
        assert page.locator("#tree tbody tr").count() > 8
        page.locator("#tree tbody tr").nth(3).focus()
        page.evaluate(_WATCH)
        page.keyboard.press("ArrowDown")
        assert page.evaluate("window.changed.size") == 2


def test_the_menu_of_a_row_goes_by_keys(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Menu\n  M1")
        row(page, "M1").focus()
        page.keyboard.press("Shift+F10")
        assert page.evaluate("document.activeElement.textContent") == "Edit"
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.textContent") == "Move to the trash"
        page.keyboard.press("Escape")
        expect(page.locator(".row-menu")).to_have_count(0)
        opener = row(page, "M1").locator(".row-actions button")
        assert opener.evaluate("each => each === document.activeElement")
        assert opener.get_attribute("aria-controls") is None
        page.keyboard.press("Enter")
        assert page.locator(f"#{opener.get_attribute('aria-controls')}").get_attribute("role") == "menu"
        page.keyboard.press("Tab")
        expect(page.locator(".row-menu")).to_have_count(0)
        assert not opener.evaluate("each => each === document.activeElement")
        page.keyboard.press("Shift+Tab")
        assert opener.evaluate("each => each === document.activeElement")


def test_a_move_in_a_window_that_is_behind_is_refused_and_shows_the_tree_as_it_is(visit, sign_in):
    with visit() as page, visit() as other:
        sign_in(page)
        plant(page, "Two\n  T1\n  T2\n  T3")
        sign_in(other)
        other.goto(TREE)
        row(other, "T1").focus()
        other.keyboard.press("Alt+ArrowRight")
        news(other, "cannot go any further")
        drag(other, "T1", "T2", 0.5)
        news(other, "“T1” is now below “T2”")
        drag(page, "T1", "T3", 0.5)
        news(page, "Someone else has moved channels since you opened the page")
        assert below(page, "Two") == ["T2", "-T1", "T3"]


def test_another_place_is_chosen_by_buttons(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Far\n  F1\n  F2")
        row(page, "F2").focus()
        page.keyboard.press("m")
        page.locator(".moving-note").wait_for()
        page.get_by_role("button", name="Before “F1”").click()
        page.locator(".messagelist", has_text="“F2” is now below “Far”: 1 of 2.").wait_for()
        assert below(page, "Far") == ["F2", "F1"]


def test_several_go_to_the_trash_and_come_back_by_one_click(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Bin\n  B1\n  B2")
        row(page, "B1").locator("input").check()
        row(page, "B2").locator("input").check()
        page.click("button[value=trash]")
        page.locator("text=Total: 2 channels and 0 content items.").wait_for()
        page.click("input[type=submit].default")
        page.wait_for_url(f"**{TREE}*")
        assert below(page, "Bin") == []
        page.click("button.undo")
        page.wait_for_url(f"**{TREE}*")
        assert below(page, "Bin") == ["B1", "B2"]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("form", ["channels_app/channel/11/change/", "cms_sites/site/1/change/", "accounts/user/add/"])
def test_a_form_keeps_its_buttons_in_sight(visit, sign_in, form, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto(f"/admin/{form}")
        bar = page.locator(".submit-row").bounding_box()
        assert bar["y"] + bar["height"] <= 900


def test_the_form_shows_the_address_while_one_types_and_saves(visit, sign_in):
    with visit() as page:
        sign_in(page)
        plant(page, "Form\n  Page")
        row(page, "Page").locator(".name a").click()
        shown = page.locator("[data-shows=page]")
        page.fill("#id_channel_file_path_rule", "/form/.html")
        page.locator("#id_channel_file_path_rule").press("ArrowLeft")
        for _ in range(4):
            page.locator("#id_channel_file_path_rule").press("ArrowLeft")
        rule = page.locator(".field-channel_file_path_rule")
        rule.locator("summary").click()
        rule.locator("[data-token='{@lowerChannelName}']").click()
        page.locator("[data-shows=page]", has_text="/form/page.html").wait_for()
        assert shown.inner_text().endswith("/form/page.html")
        page.click("input[name=_save]")
        notice = page.locator(".conflict")
        notice.locator("ins", has_text="/form/page.html").wait_for()
        notice.locator("a").click()
        expect(page.locator("#id_channel_file_path_rule")).to_have_value("/form/{@lowerChannelName}.html")
        notice.locator("input[name=_save]").click()
        page.wait_for_url("**/site/1/?open=*")
        assert page.evaluate("document.activeElement.dataset.name") == "Page"


@pytest.mark.parametrize(("language", "colours", "width"), [("en", "light", 1280), ("zh-hans", "dark", 390)])
def test_the_pages_are_accessible_and_within_the_window(visit, sign_in, language, width, colours):
    pages = [TREE, f"{TREE}?q=e", f"{TREE}?moving=3", "/admin/channels_app/channel/3/change/", SEVERAL]
    with visit(language, width=width, colours=colours, is_heard=False) as page:
        sign_in(page)
        found = {}
        for place in pages:
            page.goto(place)
            page.wait_for_load_state("networkidle")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wrong = barriers(page, of_all_rules=True)
            if wide or wrong:
                found[place] = (wide, wrong)
        assert found == {}


def test_a_finger_drags_by_the_dots(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        plant(page, "Touch\n  F10\n  F20")
        row(page, "F20").scroll_into_view_if_needed()
        grip, target = row(page, "F20").locator(".grip").bounding_box(), row(page, "F10").bounding_box()
        session = page.context.new_cdp_session(page)
        x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 9):
            point = {"x": x, "y": y + (target["y"] + 3 - y) * step / 8}
            session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        news(page, "“F20” is now below “Touch”: 1 of 2.")
        assert below(page, "Touch") == ["F20", "F10"]


def test_the_first_visit_of_the_page_is_light(visit, sign_in):
    with visit() as page:
        sign_in(page)
        sizes = []
        page.on("response", lambda answer: sizes.append(len(answer.body())))
        page.goto(TREE)
        page.wait_for_load_state("networkidle")
        assert 0 < sum(sizes) < 300_000


def test_choosing_a_place_begins_with_the_way_to_the_channel_and_escape_leaves(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto(f"{TREE}?moving=12")
        assert page.evaluate("scrollY") == 0
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.closest('tr').previousElementSibling.dataset.id") == "12"
        page.keyboard.press("Escape")
        page.wait_for_url(lambda url: "moving" not in url)
        expect(page.locator(".moving-note")).to_have_count(0)
