"""Writing a content with a browser: what is typed is stored, and two who write at once learn of each other."""

import re

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
        page.click('button[name="_continue"]')
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        assert page.input_value("#id_title") == "Typed in a browser"
        assert page.locator(".messagelist").inner_text() == "The content item was saved and submitted for approval."


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
        page.click(".save-more")
        page.click('button[name="_continue"]')
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        other = page.context.new_page()
        other.goto(page.url)
        other.fill("#id_title", "Theirs")
        other.click(".save-more")
        other.click('button[name="_continue"]')
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


def test_the_main_button_says_what_becomes_of_the_content(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        named = {}
        for state in ("draft", "waiting", "approved"):
            page.select_option("#id_state", state)
            named[state] = page.inner_text('button[name="_save"]')
        assert named == {"draft": "Save as draft", "waiting": "Submit for approval", "approved": "Approve"}


def test_on_a_phone_the_state_stands_before_the_fields_of_the_site(visit, sign_in):
    with visit(width=390) as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        tops = page.eval_on_selector_all(
            ".writing-box",
            "boxes => boxes.map(box => [box.querySelector('legend').textContent, box.getBoundingClientRect().top])",
        )
        names = [name for name, _top in sorted(tops, key=lambda each: each[1])]
        assert names[:2] == ["State", "Fields of the site"]


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
        save = page.get_by_role("button", name="Save draft", exact=True)
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
        filled = page.locator("button[name=_save]").evaluate(background)
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
        page.click('button[name="_continue"]')
        page.wait_for_selector(".messagelist")
    stored = desk.installation.manage("shell", "--no-imports", "-c", _STORED % number)
    values = '{"venue":"line one\\nline two","opens":"2026-12-10 19:00","ends":"2026-09-18"}'
    assert stored.replace('": ', '":').replace(', "', ',"').strip().endswith(f"Only the title {values}")
