"""The page of a form: its fields are moved by the mouse and by keys, and its preview follows what is typed."""

from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.test_budgets import KILOBYTE, load

__all__ = ["load"]
_MAKE = """
from forms.models import Field, Form
form = Form.objects.create(site_id=1, name="Booking")
for taxis, (key, kind) in enumerate([("name", "text"), ("mail", "email"), ("day", "date")]):
    Field.objects.create(form=form, key=key, label=key.title(), kind=kind, taxis=taxis)
print(form.pk)
"""
_KEYS = """
from forms.models import Field
print(*Field.objects.filter(form_id=%s).values_list("key", flat=True))
"""


@pytest.fixture
def form(desk):
    """The number of a form with three fields."""
    return desk.installation.manage("shell", "--no-imports", "-c", _MAKE.replace("Booking", f"Booking {uuid4()}"))


def address(form):
    return f"/admin/forms/form/{form.strip()}/change/"


def heads(page):
    return page.locator("#form-fields > details > summary")


def names(page):
    return heads(page).evaluate_all("heads => heads.map((head) => head.dataset.name)")


def test_the_page_stays_within_its_budget_and_does_not_jump(load, form):
    scripts, styles, shifts = load(address(form))
    assert scripts <= 60 * KILOBYTE and styles <= 80 * KILOBYTE
    assert sum(value for value, _moved in shifts) <= 0.05, shifts


def test_fields_are_moved_by_the_mouse_by_keys_and_by_buttons(visit, sign_in, form, desk):
    with visit() as page:
        sign_in(page)
        page.goto(address(form))
        told = page.locator("#fields-told")
        third = heads(page).nth(2)
        third.hover()
        page.mouse.down()
        box = heads(page).nth(0).bounding_box()
        page.mouse.move(box["x"] + 50, box["y"] + 2, steps=8)
        page.mouse.up()
        assert names(page) == ["Day", "Name", "Mail"]
        expect(told).to_have_text("“Day” is now field 1 of 3.")
        expect(page.locator("#form-fields > details[open]")).to_have_count(0)  # the release is no click
        heads(page).nth(0).focus()
        page.keyboard.press("Alt+ArrowDown")
        expect(told).to_have_text("“Day” is now field 2 of 3.")
        expect(heads(page).nth(1)).to_be_focused()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Down").locator("visible=true").click()
        assert names(page) == ["Name", "Mail", "Day"]
        expect(page.get_by_role("button", name="Up").locator("visible=true")).to_be_focused()
        # Escape ends a drag.
        heads(page).nth(0).hover()
        page.mouse.down()
        page.mouse.move(box["x"] + 50, page.locator("#form-fields").bounding_box()["y"] + 90, steps=8)
        page.keyboard.press("Escape")
        page.mouse.up()
        assert names(page) == ["Name", "Mail", "Day"]
        page.keyboard.press("Tab")
        heads(page).nth(1).focus()
        page.keyboard.press("Alt+ArrowUp")
        expect(page.locator(".unsaved")).not_to_be_empty()
        page.get_by_role("button", name="Save").first.click()
        expect(page.get_by_text("was saved")).to_be_visible()
    assert desk.installation.manage("shell", "--no-imports", "-c", _KEYS % form.strip()).split() == [
        "mail",
        "name",
        "day",
    ]


def test_the_preview_follows_what_is_typed_and_sends_nothing(visit, sign_in, form):
    with visit(width=1400) as page:
        sign_in(page)
        page.goto(address(form))
        page.get_by_role("button", name="Preview").click()
        frame = page.frame_locator(".preview-stage iframe:not(.is-loading)")
        expect(frame.get_by_role("textbox", name="Name")).to_be_visible()
        heads(page).nth(0).click()
        page.get_by_role("textbox", name="label").first.fill("Your name")
        expect(frame.get_by_role("textbox", name="Your name")).to_be_visible()
        heads(page).nth(0).focus()
        page.keyboard.press("Alt+ArrowDown")
        expect(frame.locator("label").first).to_have_text("Mail")
        assert page.locator(".preview-stage iframe").get_attribute("sandbox") == ""


def test_the_page_has_no_barriers(visit, sign_in, form):
    with visit(is_heard=False) as page:
        sign_in(page)
        page.goto(address(form))
        heads(page).nth(0).click()
        page.get_by_text("Add fields by lines").click()
        assert barriers(page, "main") == []


def test_without_scripts_a_button_shows_the_preview(chromium, desk, form, sign_in):
    context = chromium.new_context(base_url=desk.address, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto(address(form))
    with context.expect_page() as opened:
        page.get_by_role("button", name="Preview").click()
    expect(opened.value.get_by_role("textbox", name="Mail")).to_be_visible()
    context.close()
