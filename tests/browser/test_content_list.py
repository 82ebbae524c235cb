"""The list of contents in a browser: the tree at the side, filters, and phones."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import expect

LIST = "/admin/contents/content/"


@pytest.fixture
def listed(visit, sign_in):
    """Opens the list: `with listed(width=390) as page`."""
    from contextlib import contextmanager

    @contextmanager
    def open_list(*arguments, query="", **options):
        with visit(*arguments, **options) as page:
            sign_in(page)
            page.goto(LIST + query, wait_until="networkidle")
            yield page

    return open_list


def test_the_tree_leads_to_a_channel_by_mouse_and_by_keyboard(listed):
    with listed() as page:
        tree = page.get_by_role("tree")
        first = tree.get_by_role("treeitem").first
        assert first.get_attribute("aria-expanded") == "true"  # the only site stands open
        below = tree.get_by_role("group").first.get_by_role("treeitem")
        name = below.first.locator(".tree-name").first.inner_text()
        first.focus()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.id") == below.first.get_attribute("data-id")
        page.keyboard.press("Home")
        page.keyboard.type(name[:2])
        assert page.evaluate("document.activeElement.dataset.id") == below.first.get_attribute("data-id")
        with page.expect_navigation(url=re.compile("channel__id__exact")):
            page.keyboard.press("Enter")
        page.wait_for_load_state("networkidle")
        current = page.locator('[role="treeitem"][aria-current="page"]')
        assert current.locator(".tree-name").first.inner_text() == name
        expect(page.locator(".chip").filter(has_text=name)).to_have_count(1)


def test_a_content_is_edited_in_its_row(listed):
    with listed(query="?q=harbour") as page:
        row = page.locator("#result_list tbody tr").first
        title = row.locator(".headline").inner_text()
        for written in (f"{title}, again", title):
            row = page.locator("#result_list tbody tr", has=page.get_by_role("link", name=title)).first
            row.hover()
            row.get_by_role("link", name="Quick edit").click()
            field = page.get_by_role("dialog", name="Quick edit").get_by_label("Title", exact=True)
            expect(field).to_be_focused()
            field.fill(written)
            page.keyboard.press("Enter")
            expect(page.locator(".messagelist")).to_contain_text("saved")
            expect(page.locator(".headline", has_text=re.compile(f"^{re.escape(written)}$"))).to_have_count(1)
            assert page.url.endswith("?q=harbour")


def test_what_is_open_in_the_tree_is_remembered(listed):
    with listed() as page:
        opened = page.locator('[role="group"] [role="treeitem"][aria-expanded="false"]').first
        number = opened.get_attribute("data-id")
        opened.locator(".twisty").click()
        page.locator(f'#tree-group-{number} [role="treeitem"]').first.wait_for()
        page.reload(wait_until="networkidle")
        assert page.locator(f'[data-id="{number}"]').get_attribute("aria-expanded") == "true"


def test_items_of_a_tree_that_goes_on_have_places_and_at_its_end_a_number(visit, sign_in):
    def answer(route):
        asked = dict(parse_qsl(urlsplit(route.request.url).query))
        places = [1] if "parent" not in asked else [4] if asked["after"] == "2" else [2, 3]
        items = [{"id": n, "name": f"N{n}", "count": 0, "hasChildren": n == 1, "address": LIST} for n in places]
        route.fulfill(json={"items": items, "more": 2 if places == [2, 3] else None})

    def placed():
        found = "items => items.map(item => [item.ariaPosInSet, item.ariaSetSize])"
        return page.locator('[role="group"] > [role="treeitem"]').evaluate_all(found)

    with visit() as page:
        sign_in(page)
        page.route("**/content/tree/?*", answer)
        page.goto(LIST)
        more = page.get_by_role("treeitem", name="Show more")
        more.wait_for()
        assert placed() == [["1", "-1"], ["2", "-1"], ["3", "-1"]]
        more.click()
        page.get_by_role("treeitem", name="N4").wait_for()
        assert placed() == [["1", "3"], ["2", "3"], ["3", "3"]]
        first = page.get_by_role("treeitem").first
        assert first.inner_text().split() == ["N1", "0"]  # without what is below it
        first.focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.dataset.id") == "2"
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("treeitem", name="N2")).to_be_hidden()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.id") == "1"
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("treeitem", name="N2")).to_be_visible()


def test_a_chip_takes_its_filter_away(listed):
    with listed(query="?q=zzzz&state=approved") as page:
        expect(page.get_by_text("No items match.")).to_be_visible()
        page.locator(".chip").filter(has_text="zzzz").click()
        page.wait_for_url(re.compile(r"state=approved"))
        assert "zzzz" not in page.url
        assert page.locator("#result_list tbody tr").count() > 0


def test_the_most_read_are_listed_with_their_hits_and_all_orders_can_be_chosen(listed):
    with listed(width=1360, height=860) as page:
        orders = page.locator(".orders a")
        page.click(".orders summary")
        for order in orders.all():
            order.click(trial=True)  # refuses when something lies above it
        expect(page.locator("#result_list .field-hits_shown").first).to_be_hidden()
        orders.get_by_text("Most viewed first").click()
        assert page.locator("#result_list .field-hits_shown").first.is_visible()
        page.locator(".chip", has_text="at least 1").click()
        expect(page.locator(".chip")).to_have_count(0)


def test_a_search_sends_only_what_is_filled_in(listed):
    with listed() as page:
        page.fill("#searchbar", "the")
        page.press("#searchbar", "Enter")
        page.wait_for_url(re.compile(r"q=the"))
        assert page.url.endswith("?q=the")


_LABELS = """() => [...document.querySelectorAll('#channel-tree [role=treeitem]')]
    .filter((item) => item.checkVisibility()).map((item) => item.textContent.trim())"""
_FOCUSED = "document.activeElement.textContent.trim()"


def test_arrows_go_through_the_tree_and_back_whatever_is_open(listed):
    with listed() as page:
        items = page.locator("#channel-tree [role=treeitem]")
        for number in (2, 1):  # what is below the second, then below the first
            items.nth(number).focus()
            page.keyboard.press("ArrowRight")
            page.locator(f"#tree-group-{items.nth(number).get_attribute('data-id')} [role=treeitem]").first.wait_for()
        page.keyboard.press("ArrowLeft")  # closed again
        page.keyboard.press("Home")
        labels = page.evaluate(_LABELS)
        assert len(labels) > 8
        down, up = [page.evaluate(_FOCUSED)], []
        for _label in labels[1:]:
            page.keyboard.press("ArrowDown")
            down.append(page.evaluate(_FOCUSED))
        assert down == labels
        for _label in labels:
            up.append(page.evaluate(_FOCUSED))
            page.keyboard.press("ArrowUp")
        assert up == labels[::-1]
        page.keyboard.press("End")
        assert page.evaluate(_FOCUSED) == labels[-1]
        assert items.and_(page.locator("[tabindex='0']")).count() == 1


def test_on_a_phone_the_tree_is_a_drawer_and_nothing_is_cut_off(listed):
    with listed("zh-hans", width=390) as page:
        tree = page.locator("#channel-tree")
        expect(tree).to_be_hidden()
        page.locator(".tree-open").click()
        expect(tree).to_be_visible()
        page.keyboard.press("Escape")
        expect(tree).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [360, 390, 820, 1100, 1440])
def test_the_button_of_the_filters_stays_where_it_is(listed, width):
    with listed(width=width) as page:
        button = page.locator(".filter-fields > summary")
        before = button.bounding_box()
        assert before["y"] == page.locator(".filter-search > button").first.bounding_box()["y"]
        button.click()
        assert page.locator(".filter-grid").bounding_box()["y"] >= before["y"] + before["height"]
        assert button.bounding_box() == before


@pytest.mark.parametrize("width", [390, 820, 1100, 1280])
@pytest.mark.parametrize("name", ["contents/content", "accounts/administrator"])
def test_a_list_is_no_wider_than_the_window_whatever_a_name_is(listed, width, name):
    with listed(width=width) as page:
        page.goto(f"/admin/{name}/", wait_until="networkidle")
        page.locator("#result_list tbody tr:first-child a").first.evaluate("a => a.textContent = 'W'.repeat(300)")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        cell = page.locator("#result_list tbody tr:first-child :is(th, td):has(a)").first
        assert cell.bounding_box()["width"] < 600


@pytest.mark.parametrize(("width", "language"), [(390, "en"), (1100, "en"), (1280, "zh-hans"), (1440, "en")])
@pytest.mark.parametrize("name", ["contents/content", "accounts/administrator"])
def test_filters_open_within_the_window(listed, width, language, name):
    with listed(language, width=width) as page:
        page.goto(f"/admin/{name}/", wait_until="networkidle")
        page.locator(".filter-fields > summary").click()
        box = page.locator(".filter-fields > :not(summary)").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        page.keyboard.press("Escape")
        expect(page.locator(".filter-fields > :not(summary)")).to_be_hidden()


def test_filters_in_use_cover_no_row_and_close_by_a_click_beside_them(listed):
    with listed(query="?author=nobody") as page:
        panel = page.locator(".filter-grid")
        expect(panel).to_be_hidden()
        page.locator(".filter-fields > summary").click()
        expect(panel).to_be_visible()
        page.locator("h1").click()
        expect(panel).to_be_hidden()


@pytest.mark.parametrize("name", ["contents/content", "channels_app/channel"])
def test_twelve_rows_of_one_height_are_in_sight(listed, name):
    with listed(width=1440, height=900) as page:
        page.goto(f"/admin/{name}/", wait_until="networkidle")
        rows = [row.bounding_box() for row in page.locator("#result_list tbody tr").all()]
        assert rows[0]["y"] <= 160
        assert {row["height"] for row in rows} == {44}
        assert sum(row["y"] + row["height"] <= 900 for row in rows) >= 12


def test_four_cards_are_in_sight_on_a_phone(listed):
    with listed(width=390, height=844) as page:
        cards = [row.bounding_box() for row in page.locator("#result_list tbody tr").all()]
        assert sum(card["y"] + card["height"] <= 844 for card in cards) >= 4


def test_a_view_is_saved_with_its_filters_and_columns_can_be_hidden(listed):
    with listed(query="?state=pending") as page:
        page.locator(".list-view summary").click()
        page.get_by_label("Save search, filters and order as").fill("To do")
        page.get_by_role("button", name="Save this view").click()
        views = page.get_by_role("navigation", name="Saved views")
        expect(views.locator("[aria-current]")).to_have_text("To do")
        views.get_by_role("link", name="All").click()
        page.locator(".list-view summary").click()
        page.locator(".list-view").get_by_label("Channel").uncheck()
        page.get_by_role("button", name="Show these columns").click()
        expect(page.locator("th.column-location")).to_be_hidden()
        expect(page.locator("td.field-location").first).to_be_hidden()
        expect(page.locator("td.field-state").first).to_be_visible()


def test_a_harmless_action_needs_no_question_and_its_message_moves_no_row(listed):
    with listed() as page:
        rows = page.locator("#result_list tbody tr")
        place = "row => row.getBoundingClientRect().y + scrollY"
        before = rows.first.evaluate(place)
        rows.filter(has_not_text="recommended").first.locator("input.action-select").check()
        page.get_by_role("button", name="Recommend", exact=True).click()
        expect(page.locator(".messagelist")).to_contain_text("was recommended")
        assert rows.first.evaluate(place) == before
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".messagelist")).to_contain_text("1 change was undone.")


@pytest.mark.parametrize("width", [390, 1024, 1280])
def test_a_title_beside_a_cover_can_be_read_and_clicked(visit, sign_in, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto("/admin/contents/content/?site__id__exact=1&q=Lights")
        page.locator(".cover").first.wait_for()
        hidden = page.eval_on_selector_all(
            ".cover ~ .headline",
            """all => all.filter((each) => {
                each.scrollIntoView({ block: "center" });
                const { left, top, width, height } = each.getBoundingClientRect();
                return !each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            }).map((each) => each.textContent)""",
        )
        assert hidden == []
