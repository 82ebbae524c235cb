"""Writing a content with a browser: what is typed is stored, and two who write at once learn of each other."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.content_form import open_tab, save_by

_TAGS = """
from contents.models import Content
chosen = Content.objects.filter(site_id=1, trashed_at=None, is_checked=True).latest("pk")
Content.objects.filter(pk=chosen.pk).update(tags="甲，乙,north")
"""


def test_what_was_typed_is_stored_and_the_page_warns_before_it_is_lost(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?site=1")
        page.select_option("#id_channel", index=1, force=True)  # the combobox follows it
        page.click("form.choosing .button.default >> text=Add content")
        page.fill("#id_title", "Typed in a browser")
        assert page.locator(".save-bar .unsaved").inner_text() == "Your changes are not saved."
        save_by(page, "_draft")
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        assert page.input_value("#id_title") == "Typed in a browser"
        assert page.locator(".messagelist").inner_text() == "Saved as a draft; only editors can see it."
        assert re.fullmatch(r"Saved \d{4}-\d\d-\d\d \d\d:\d\d", page.locator(".save-bar .unsaved").inner_text())


def test_keys_save_from_within_the_text(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        page.fill("#id_title", "By keys")
        page.locator(".editor [contenteditable=true]").click()
        page.keyboard.type("One")
        page.keyboard.press("ControlOrMeta+s")
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        assert page.locator(".messagelist").inner_text() == "Saved as a draft; only editors can see it."
        page.locator(".editor [contenteditable=true]").click()
        page.keyboard.press("End")
        page.keyboard.type(" two")
        page.keyboard.press("ControlOrMeta+Enter")
        page.wait_for_url(re.compile(r"/content/\?"))
        page.locator(".headline >> text=By keys").click()
        assert page.locator(".editor [contenteditable=true]").inner_text().strip() == "One two"


def test_tags_are_offered_behind_those_that_are_typed_which_stay_whole(visit, sign_in, desk):
    desk.installation.manage("shell", "--no-imports", "-c", _TAGS)
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?site=1")
        page.select_option("#id_channel", index=1, force=True)  # the combobox follows it
        page.click("form.choosing .button.default >> text=Add content")
        open_tab(page, "Sorting")
        for typed, offered in {"甲，乙,nor": "甲，乙,north", "丙，丁、nor": "丙,丁,north"}.items():
            page.fill("#id_tags", typed)
            found = page.eval_on_selector_all("#known-tags option", "options => options.map(option => option.value)")
            assert found == [offered]


def test_two_who_write_at_once_learn_of_each_other(visit, sign_in, desk):
    with visit("zh-hans", width=390) as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?site=1")
        page.select_option("#id_channel", index=1, force=True)  # the combobox follows it
        page.click("form.choosing:last-of-type button")
        page.fill("#id_title", "One")
        save_by(page, "_draft")
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        other = page.context.new_page()
        other.goto(page.url)
        other.fill("#id_title", "Theirs")
        save_by(other, "_continue")
        other.wait_for_selector(".messagelist")
        page.fill("#id_title", "Mine")
        # The console tells of every answer of 409.
        answered = page.context.request.post(
            page.url,
            form={
                "csrfmiddlewaretoken": page.input_value('[name="csrfmiddlewaretoken"]'),
                "seen_version": page.input_value('[name="seen_version"]'),
                "title": "Mine",
            },
            headers={"Referer": page.url},
        )
        assert answered.status == 409
        assert "Theirs" in answered.text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_one_button_saves_and_the_others_wait_behind_its_arrow(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        expect(page.locator("#id_title")).to_be_focused()
        buttons = page.locator(".save-buttons button")
        names = [button.inner_text() for button in buttons.all() if button.is_visible()]
        assert names == ["Submit for approval"]
        page.click(".save-buttons summary")
        names = [button.inner_text() for button in buttons.all() if button.is_visible()]
        assert names == ["Submit for approval", "Save and publish", "Save as draft", "Save and add another"]
        page.keyboard.press("Escape")
        assert page.locator(".save-buttons details").get_attribute("open") is None


def test_what_stands_beside_the_text_is_in_tabs_and_errors_open_theirs(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        page.fill("#id_title", "In tabs")
        expect(page.get_by_role("tabpanel", name="Publish")).to_be_visible()
        page.get_by_role("tab", name="Publish").focus()
        page.keyboard.press("End")
        expect(page.get_by_role("tab", name="More")).to_be_focused()
        page.fill("#id_link_url", "javascript:alert(1)")
        page.get_by_role("tab", name="Publish").click()
        page.keyboard.press("ControlOrMeta+s")
        page.wait_for_selector("#form-errors")
        expect(page.locator("#id_link_url")).to_be_visible()
        open_tab(page, "Sorting")
        page.click("#form-errors a")
        expect(page.locator("#id_link_url")).to_be_focused()


@pytest.mark.parametrize("language", ["en", "zh-hans", "de"])
def test_all_tabs_are_in_sight(visit, sign_in, language):
    with visit(language) as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        tabs = page.locator("[role=tablist]")
        expect(tabs.get_by_role("tab")).to_have_count(4)
        assert tabs.evaluate("list => list.scrollWidth - list.clientWidth") == 0
        for tab in tabs.get_by_role("tab").all():
            expect(tab).to_be_in_viewport(ratio=1)


_COUNT = """() => [...document.querySelectorAll("#content :is(button, a[href], input, select, textarea, summary)")]
  .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && each.getClientRects().length).length"""


@pytest.mark.parametrize("address", ["add/?channel=3", "3/change/"])
def test_a_form_opens_with_few_controls(visit, sign_in, address):
    with visit(width=1440) as page:
        sign_in(page)
        page.goto(f"/admin/contents/content/{address}")
        page.wait_for_selector(".editor-toolbar")
        assert page.evaluate(_COUNT) <= 40
        heights = page.eval_on_selector_all(
            ".editor-toolbar > .editor-group", "all => all.map((each) => each.getBoundingClientRect().top)"
        )
        assert len(set(heights)) == 1


def test_few_tabs_lead_from_the_text_to_the_buttons(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        page.locator(".editor-text").focus()
        pressed = 0
        while not page.evaluate("document.activeElement.matches('.to-saving')"):
            page.keyboard.press("Tab")
            pressed += 1
        page.keyboard.press("Enter")
        while not page.evaluate("document.activeElement.closest('.save-buttons') !== null"):
            page.keyboard.press("Tab")
            pressed += 1
        assert pressed <= 5


_GROUPS = """
from contents.models import Content, ContentGroup
for name in ("Harbour", "Museum", "Tides"):
    ContentGroup.objects.get_or_create(site_id=1, group_name=name)
"""


def test_groups_are_chosen_and_added_in_one_field(visit, sign_in, desk):
    desk.installation.manage("shell", "--no-imports", "-c", _GROUPS)
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        page.fill("#id_title", "In groups")
        open_tab(page, "Sorting")
        field = page.get_by_role("combobox", name="Groups")
        field.click()
        field.press_sequentially("tid")
        page.get_by_role("option", name="Tides").click()
        field.press_sequentially("Ferries")
        page.keyboard.press("Enter")
        field.press_sequentially("harb")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        tokens = page.locator(".tokens li")
        expect(tokens).to_have_count(3)
        page.get_by_role("button", name="Remove Tides").click()
        page.keyboard.press("Tab")
        expect(page.locator("#id_tags")).to_be_focused()
        page.keyboard.press("ControlOrMeta+s")
        page.wait_for_selector(".messagelist")
        open_tab(page, "Sorting")
        kept = page.eval_on_selector_all(".tokens li", "all => all.map((each) => each.firstChild.textContent)")
        assert sorted(kept) == ["Ferries", "Harbour"]


def test_on_a_phone_the_tabs_stand_before_the_fields_of_the_site(visit, sign_in):
    with visit(width=390, height=844) as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        tabs, fields = page.locator(".tabs").bounding_box(), page.locator(".writing-custom").bounding_box()
        assert tabs["y"] < fields["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator(".save-bar").bounding_box()["height"] < 80


_PUBLIC = """
from django.contrib.auth.models import Group, Permission
from accounts.models import Administrator
from contents.models import Content
group = Group.objects.create(name="writers")
group.permissions.set(Permission.objects.filter(codename__in=["view_content", "change_content"]))
Administrator.objects.create_user("writer", password="tide-table-7").groups.add(group)
print(Content.objects.filter(is_checked=True, trashed_at=None).first().pk)
"""


def test_who_may_not_approve_sees_that_saving_makes_a_draft_and_hands_it_in(visit, sign_in, desk):
    content = desk.installation.manage("shell", "--no-imports", "-c", _PUBLIC)
    with visit(width=390) as page:
        sign_in(page, "writer", "tide-table-7")
        page.goto(f"/admin/contents/content/{content}/change/")
        told = page.get_by_text("This content item is public. Your changes are saved as a draft")
        save = page.get_by_role("button", name="Submit for approval", exact=True)
        assert told.bounding_box()["y"] < save.bounding_box()["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_label("Title", exact=True).fill("Another")
        page.get_by_role("button", name="Submit for approval").click()
        page.wait_for_selector(".messagelist")
        assert page.locator(".messagelist").inner_text().startswith("The draft was saved and submitted for approval.")


def test_acts_on_a_content_are_quieter_than_saving_it(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        page.locator("#result_list a[href*='/change/']").first.click()
        background = "each => getComputedStyle(each).backgroundColor"
        filled = page.locator(".save-buttons > .default").evaluate(background)
        page.click(".writing-status summary")
        admin_actions = page.locator(".object-tools a[href*='/actions/']:visible")
        assert admin_actions.count() > 2
        assert filled not in [action.evaluate(background) for action in admin_actions.all()]


_ODD = """
import json
from contents.models import Content, ContentDraft, CustomField
drafted = ContentDraft.objects.values("pk")
content = Content.objects.filter(trashed_at=None, is_checked=True).exclude(pk__in=drafted).order_by("pk").first()
values = {"venue": "line one\\nline two", "opens": "2026-12-10 19:00", "ends": "2026-09-18"}
kinds = {"venue": "line", "opens": "date", "ends": "day"}
for name, kind in kinds.items():
    found = {"site": content.site, "folded_name": name}
    CustomField.objects.update_or_create(**found, defaults={"name": name, "kind": kind, "is_offered": True})
Content.objects.filter(pk=content.pk).update(settings_xml=json.dumps(values))
print(content.pk)
"""
_STORED = """
from contents.models import Content
content = Content.objects.get(pk=%d)
print(content.title, content.settings_xml)
"""


def test_what_nobody_touched_stays_as_it_is_stored(visit, sign_in, desk):
    number = int(desk.installation.manage("shell", "--no-imports", "-c", _ODD).split()[-1])
    with visit() as page:
        sign_in(page)
        page.goto(f"/admin/contents/content/{number}/change/")
        page.fill("#id_title", "Only the title")
        save_by(page, "_continue")
        page.wait_for_selector(".messagelist")
    stored = desk.installation.manage("shell", "--no-imports", "-c", _STORED % number)
    values = '{"venue":"line one\\nline two","opens":"2026-12-10 19:00","ends":"2026-09-18"}'
    assert stored.replace('": ', '":').replace(', "', ',"').strip().endswith(f"Only the title {values}")
