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
    press_until(page, "Tab", "element.matches('button.undo')")
    page.keyboard.press("Enter")
    expect(page.locator(".messagelist")).to_contain_text("undone")


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
