"""A day's work without a mouse: nothing here clicks, and the focus is moved by keys alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import new_desk

MAX_TABS = 80  # until something counts as out of reach


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A back end of our own, with one site: its contents come first in the menu."""
    with new_desk(tmp_path_factory.mktemp("keyboard")) as own:
        yield own


def press_until(page, key, holds, most=MAX_TABS):
    """Press the key until the element with the focus is what is sought."""
    for _ in range(most):
        if page.evaluate(f"(() => {{ const element = document.activeElement; return Boolean({holds}); }})()"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {holds} on {page.url}")


def leave(page, key="Enter"):
    """Press the key that leads to another page, and wait for that."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


def skip_to(page, place):
    """From the beginning of the page by one of its links to a part of it."""
    press_until(page, "Tab", f"element.matches('.skip-to-content-link[href=\"{place}\"]')", most=5)
    page.keyboard.press("Enter")


def reach(page, locator, most=MAX_TABS, key="Tab"):
    """Press Tab, or the key, until the element has the focus."""
    for _ in range(most):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {locator} on {page.url}")


def press(page, locator, key="Enter"):
    reach(page, locator)
    page.keyboard.press(key)


def go(page, name):
    """Follow an entry of the menu."""
    reach(page, page.get_by_role("navigation", name="Menu").get_by_role("link", name=name, exact=True))
    leave(page)


def focused(page):
    return page.evaluate("document.activeElement.textContent.trim()")


def test_a_content_is_found_changed_approved_and_that_taken_back_by_keys_alone(visit, desk):
    with visit() as page:
        page.goto("/admin/")
        expect(page.locator("#id_username")).to_be_focused()
        page.keyboard.type(desk.name)
        page.keyboard.press("Tab")
        page.keyboard.type(desk.password)
        leave(page)
        find(page, "Model-making weekend")
        page.keyboard.press("Tab")
        press_until(page, "Tab", "element.matches('a.headline')", most=3)
        leave(page)
        rename(page, "A weekend of models")
        approve(page, "A weekend of models")
        undo(page)


def find(page, title):
    """Search the list of contents, and go to the box of the first row."""
    press_until(page, "Tab", "element.matches('.menu a[href*=\"contents/content/?site\"]')")
    leave(page)
    press_until(page, "Tab", "element.id === 'searchbar'")
    page.keyboard.type(title)
    leave(page)
    skip_to(page, "#list")
    press_until(page, "Tab", "element.matches('.action-select')", most=20)


def rename(page, title):
    press_until(page, "Tab", "element.id === 'id_title'")
    page.keyboard.press("Control+A")
    page.keyboard.type(title)
    page.keyboard.press("ControlOrMeta+Enter")
    page.locator(".messagelist .success").wait_for()


def approve(page, title):
    """From the chosen row to the actions, along them by arrows, and back to the row; then the action itself."""
    page.goto("/admin/")
    find(page, title)
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    assert focused(page) == "Go to the actions (selected: 1)"
    page.keyboard.press("Enter")
    assert focused(page) == "Approve"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "Reject"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.matches('.action-select:checked')")
    page.keyboard.press("Enter")
    assert focused(page) == "Approve"
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Approve")
    expect(dialog).to_be_visible()
    press_until(page, "Tab", "element.matches('input.default')")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "list"


def undo(page):
    page.keyboard.press("Control+z")
    expect(page.locator(".messagelist")).to_contain_text("undone")


def test_an_article_is_written_with_a_table_and_published(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        press(page, page.locator(".panel-writing .panel-buttons a").first)
        page.wait_for_url("**/add/**")
        expect(page.locator(".editor-text")).to_be_visible()
        page.keyboard.type("Tides of the week")  # the title has the focus
        reach(page, page.locator(".editor-text"), most=5)
        page.keyboard.type("High water at noon.\n/table")
        expect(page.get_by_role("option", name="Table").first).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.locator(".editor-text table")).to_be_visible()
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda address: "/add/" not in address)
        expect(page.locator(".messagelist")).to_contain_text("saved and submitted for approval")


def test_contents_are_moved_and_trashed_and_both_is_taken_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        go(page, "Contents")
        skip_to(page, "#list")
        choose_rows(page, 2)
        press_action(page, "Move")
        expect(page.get_by_role("dialog", name="Move").get_by_role("combobox")).to_be_focused()
        page.keyboard.type("Opening hours")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator(".messagelist")).to_contain_text("moved")
        undo(page)
        expect(page.locator("#list")).to_be_focused()
        choose_rows(page, 1)
        press_action(page, "Move to the trash")
        press(page, page.get_by_role("dialog").locator("input.default"))
        expect(page.locator(".messagelist")).to_contain_text("trash")
        undo(page)


def choose_rows(page, number):
    for _ in range(number):
        page.keyboard.press("Tab")
        press_until(page, "Tab", "element.matches('.action-select')", most=20)
        page.keyboard.press("Space")


def press_action(page, name):
    page.keyboard.press("Enter")  # from a chosen row to the actions
    press_until(page, "ArrowRight", f"element.textContent.trim() === '{name}'", most=20)
    page.keyboard.press("Enter")


def test_a_channel_is_copied_and_somebody_gets_a_role_in_it(visit, sign_in, desk):
    make = "from accounts.models import Administrator; Administrator.objects.create_user('ada')"
    desk.installation.manage("shell", "--no-imports", "-c", make)
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        go(page, "Channels")
        in_tree(page, "Visit", "Copy")
        expect(page.get_by_role("dialog", name="Copy the channel").get_by_label("Name of the copy")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/jobs/job/**")
        press(page, page.get_by_role("link", name="Open the copy"))
        page.wait_for_url("**/site/**")
        in_tree(page, "Visit (copy)", "People")
        page.wait_for_url("**/people/**")
        expect(page.get_by_label("Person")).to_be_visible()
        for label in ("Person", "Role"):
            reach(page, page.get_by_label(label))
            page.keyboard.press("ArrowDown")
        if page.get_by_label("Your password").is_visible():
            reach(page, page.get_by_label("Your password"))
            page.keyboard.type(desk.password)
        press(page, page.get_by_role("button", name="Give this role"))
        expect(page.locator(".messagelist")).to_contain_text("Author")


def in_tree(page, channel, act):
    """Go to the row by the tree's keys, and choose from its menu."""
    press_until(page, "Tab", "element.matches('#tree tr')")
    press_until(page, "ArrowDown", f"element.dataset.name === '{channel}'")
    page.keyboard.press("Shift+F10")
    press_until(page, "ArrowDown", f"element.textContent.trim() === '{act}'", most=20)
    page.keyboard.press("Enter")


def test_a_field_is_added_and_a_view_is_saved(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/")
        go(page, "Custom fields")
        reach(page, page.locator("[name=new-name]"))
        page.keyboard.type("draught")
        leave(page)
        expect(page.locator(".messagelist")).to_contain_text("saved")
        go(page, "Contents")
        reach(page, page.locator("#searchbar"))
        page.keyboard.type("harbour")
        leave(page)
        press(page, page.locator(".list-view summary"))
        reach(page, page.locator("#view-name"))
        page.keyboard.type("About the harbour")
        leave(page)
        expect(page.get_by_role("link", name="About the harbour")).to_be_visible()


def test_enter_on_a_row_that_is_not_chosen_sends_nothing(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        page.locator(".action-select").first.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.matches('.action-select')")
        assert page.url.endswith("/admin/contents/content/")


def test_the_link_to_the_tree_opens_it_where_it_is_a_drawer(visit, sign_in):
    with visit(width=1100) as page:
        sign_in(page)
        page.goto("/admin/contents/content/", wait_until="networkidle")
        expect(page.locator("#channel-tree")).to_be_hidden()
        skip_to(page, "#channel-tree")
        assert page.evaluate("document.activeElement.matches('[role=treeitem]')")
        page.keyboard.press("Escape")
        expect(page.locator("#channel-tree")).to_be_hidden()


def test_on_a_phone_the_fields_follow_each_other_as_they_stand(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        page.locator("#searchbar").focus()
        places = []
        for _ in range(5):
            box = page.evaluate(
                "(({top, left}) => [Math.round(top), left])(document.activeElement.getBoundingClientRect())"
            )
            places.append(tuple(box))
            page.keyboard.press("Tab")
        assert places == sorted(places)
