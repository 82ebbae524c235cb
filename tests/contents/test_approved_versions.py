"""An approval covers the text that the approver saw, and no later change of it."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db.models import F
from django.test import Client

from accounts.models import GroupPlace
from channels_app.services import restore_channel, trash_channel
from contents import scheduling
from contents.models import Content, ContentChange, ContentDraft, ContentSchedule, CustomField
from contents.services.single import trash_content
from contents.storing.history import members_at
from core.lib import clock
from core.notifications.models import Notification
from core.notifications.words import headline, page_of
from tests.admin.pages.browsing import act, noted, place, told, undo
from tests.admin.pages.writing.forms import PAGE, change, open_form, save
from tests.admin.tables.files import csv_file, upload
from tests.admin.world import administrator_with
from tests.contents.threads import at_once
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
WRITER = ("contents.view_content", "contents.change_content", "contents.add_content")
LATER = (clock.now() + timedelta(days=3)).replace(microsecond=0, second=0)


def browser_of(user):
    browser = Client()
    browser.force_login(user)
    return browser


@world
def writer():
    return administrator_with(*WRITER, "contents.change_contenttag", user_name="anna")


@pytest.fixture
def anna(writer):
    """Writes, and approves nothing."""
    return browser_of(writer)


@world
def carl():
    return administrator_with(*WRITER, "contents.approve_content", user_name="carl")


@world
def content(carl):
    """Approved by carl for later, in its second version."""
    channel = ChannelFactory()
    content = ContentFactory(channel=channel, title="Draft", tags="sea", checked_level=0, content="<p>Seen</p>")
    change(browser_of(carl), content, title="Seen")
    approve(carl, content)
    return content


@world
def drafted(writer, carl):
    """A public content with a draft by anna, approved by carl for later."""
    content = ContentFactory(title="Old", is_checked=True)
    change(browser_of(writer), content, title="Seen", _hand_in="1")
    approve(carl, content)
    return content


def approve(user, content, at=LATER):
    """Approve what waits for this time, on its page."""
    browser, draft = browser_of(user), ContentDraft.objects.filter(pk=content.pk).first()
    sent = {"publish_at": at.isoformat(), "from": "review"}
    if draft:
        answer = browser.post(place(PAGE, "draft", content.pk), sent | {"act": "schedule", "version": draft.version})
    else:
        version = Content.objects.get(pk=content.pk).version
        answer = browser.post(place(PAGE, "action", "schedule"), sent | {"ids": f"{content.pk}:{version}"})
    assert answer.status_code == 302


def pass_time(content):
    ContentSchedule.objects.filter(pk=content.pk).update(publish_at=clock.now() - timedelta(seconds=1))
    scheduling.apply_due()


def stored(content):
    return Content.objects.select_related("body").get(pk=content.pk)


def is_planned(content):
    return ContentSchedule.objects.filter(pk=content.pk, publish_at__isnull=False).exists()


def told_to(user):
    rows = Notification.objects.filter(administrator=user, kind="content.changed_after_approval")
    return [(headline([row]), page_of(row)) for row in rows]


# ---- contents that are not public


def import_table(browser, content):
    file = csv_file(["id", "title"], [str(content.pk), "Unseen"])
    query = f"?site__id__exact={content.site_id}&channel__id__exact={content.channel_id}"
    answer, address = upload(browser, PAGE, file, query, channel=content.channel_id)
    assert answer.status_code == 302
    browser.get(address)  # the preview
    browser.post(address, {"import": "1"})


def restore_version(browser, content):
    browser.post(place(PAGE, "revert", content.pk, 1), {"seen_version": stored(content).version})


def rename_tag(browser, content):
    row = content.site.content_tags.get(tag_name="sea")
    browser.post(place("contents_contenttag", "rename", row.pk), {"name": "ocean"})


def change_field(browser, content):
    field = CustomField.objects.create(site=content.site, name="place", folded_name="place")
    change(browser, content, **{f"custom_{field.pk}": "Harbour"})


WAYS = {
    "title": lambda browser, content: change(browser, content, title="Unseen"),
    "body": lambda browser, content: change(browser, content, body="<p>Unseen</p>"),
    "picture": lambda browser, content: change(browser, content, image_url="/unseen.png"),
    "date": lambda browser, content: change(browser, content, add_date="2026-01-01T08:00:00"),
    "and submitted": lambda browser, content: change(browser, content, title="Unseen", _hand_in="1"),
    "custom field": change_field,
    "table": import_table,
    "earlier version": restore_version,
    "tag renamed": rename_tag,
    "mark": lambda browser, content: act(browser, PAGE, "pin", content),
    "group": lambda browser, content: act(browser, PAGE, "add-group", content, new_group="Unseen"),
    "tags": lambda browser, content: act(browser, PAGE, "remove-tags", content, names="sea"),
    "moved": lambda browser, content: act(browser, PAGE, "move", content, channel=ChannelFactory(site=content.site).pk),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_change_by_an_author_ends_the_approval_and_the_approver_is_told(anna, carl, content, way):
    assert is_planned(content)
    WAYS[way](anna, content)
    after = stored(content)
    assert after.version == 3
    assert (after.is_checked, after.checked_level) == (False, 0)
    assert not is_planned(content)
    link = f"{place(PAGE, 'compare', content.pk)}?from=2"
    assert told_to(carl) == [(f"anna changed “{after.title}” after your approval", link)]
    assert browser_of(carl).get(link).status_code == 200
    assert place(PAGE, "review", content.pk) in browser_of(carl).get(place(PAGE, "waiting")).content.decode()
    (entry,) = noted("content.schedule_skipped")
    assert (entry.actor_name, entry.details["reason"]) == ("anna", "changed")
    pass_time(content)
    assert not stored(content).is_checked


@pytest.mark.parametrize("way", WAYS)
def test_a_change_by_who_may_approve_is_published_at_the_time(carl, content, way):
    browser = browser_of(AdministratorFactory(user_name="harriet"))
    WAYS[way](browser, content)
    assert is_planned(content)
    pass_time(content)
    assert stored(content).is_checked
    assert told_to(carl) == []


def test_a_change_by_a_key_is_published_at_the_time(api, content):
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}"
    assert api.put(f"{address}/{content.pk}", {"title": "By key"}).status_code == 200
    assert api.put(f"{address}/batch", {"contents": [{"id": content.pk, "content": "In a batch"}]}).status_code == 200
    pass_time(content)
    assert (stored(content).title, stored(content).body.text, stored(content).is_checked) == (
        *("By key", "In a batch"),
        True,
    )


def test_what_an_api_client_schedules_is_guarded_in_the_same_way(api, anna):
    content = ContentFactory()
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    api.put(address, {"title": "Seen", "publishAt": LATER.isoformat(" ")})
    change(anna, content, title="Unseen")
    assert api.get(f"{address}/schedule").json()["value"]["publishAt"] is None
    owner = AdministratorFactory._meta.model.objects.get(api_keys__isnull=False)
    assert [words for words, _link in told_to(owner)] == ["anna changed “Unseen” after your approval"]


def test_saving_without_a_change_and_submitting_leave_the_approval(anna, carl):
    content = ContentFactory(title="Seen", checked_level=-99)
    approve(carl, content)
    assert told(change(anna, content)) == ["Nothing was changed."]
    act(anna, PAGE, "hand-in", content)
    assert stored(content).version == 2
    pass_time(content)
    assert stored(content).is_checked


def test_a_content_that_its_author_takes_back_is_not_published_and_the_approver_is_told(anna, carl, content):
    change(anna, content, _draft="1")
    assert stored(content).checked_level == -99
    assert not is_planned(content)
    assert len(told_to(carl)) == 1


def test_what_was_approved_before_it_was_submitted_waits_after_a_change(anna, carl):
    content = ContentFactory(title="Seen", checked_level=-99)
    approve(carl, content)
    change(anna, content, title="Unseen")
    assert stored(content).checked_level == 0


def test_the_withdrawal_stays(anna, carl, content):
    ContentSchedule.objects.filter(pk=content.pk).update(unpublish_at=LATER + timedelta(days=1))
    change(anna, content, title="Unseen")
    row = ContentSchedule.objects.get(pk=content.pk)
    assert (row.publish_at, row.unpublish_at) == (None, LATER + timedelta(days=1))
    assert (row.approved_version, row.reasons) == (None, "")


def test_the_undo_of_a_schedule_does_not_bring_back_what_ended_with_a_change(carl, content, anna):
    browser = browser_of(carl)
    answer = act(browser, PAGE, "schedule", content, publish_at=(LATER + timedelta(days=1)).isoformat())
    change(anna, content, title="Unseen")
    undo(browser, answer)
    assert not is_planned(content)


def test_many_changes_are_one_notification(anna, carl):
    contents = [ContentFactory(title=name, checked_level=0) for name in ("a", "b")]
    for content in contents:
        approve(carl, content)
    act(anna, PAGE, "pin", *contents)
    assert told_to(carl) == [("2 content items were changed after your approval", f"{place(PAGE, 'waiting')}?site=")]
    assert not ContentSchedule.objects.exists()


def test_a_move_needs_final_approval_in_both_channels(carl):
    """Groups limit to branches; who approves in one of them does not approve for another."""
    site = SiteFactory()
    home, away = ChannelFactory(site=site), ChannelFactory(site=site)
    for approving, is_kept in ((home, False), (away, False), (site, True)):
        user = administrator_with(*WRITER)
        group = Group.objects.create(name=f"approves in {approving}")
        group.permissions.add(Permission.objects.get(codename="approve_content"))
        GroupPlace.objects.create(group=group, site_id=site.pk, channel_id=0 if approving is site else approving.pk)
        user.groups.add(group)
        content = ContentFactory(channel=home, checked_level=0)
        approve(carl, content)
        act(browser_of(user), PAGE, "move", content, channel=away.pk)
        assert stored(content).channel_id == away.pk
        assert is_planned(content) is is_kept


# ---- levels


def site_of_three_levels():
    return SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 3})


@pytest.mark.parametrize(
    ("rights", "before", "after"),
    [
        ((), 1, 0),
        ((), 2, 0),
        (("contents.approve1_content",), 1, 1),
        (("contents.approve1_content",), 2, 0),
        (("contents.approve2_content",), 2, 2),
        (("contents.approve_content",), 2, 2),
        ((), 0, 0),
        ((), -1, -1),
        ((), -99, -99),
    ],
)
def test_a_change_by_who_may_not_decide_must_pass_the_level_again(rights, before, after):
    site = site_of_three_levels()
    content, waiting = (
        ContentFactory(channel=ChannelFactory(site=site), checked_level=before, title="Seen") for _each in range(2)
    )
    browser = browser_of(administrator_with(*WRITER, *rights))
    change(browser, content, title="Unseen")
    assert stored(content).checked_level == after
    assert stored(content).version == 2
    assert ('"checked_level"' in ContentChange.objects.get(content=content).before) is (after != before)
    act(browser, PAGE, "pin", waiting)
    assert stored(waiting).checked_level == after


@pytest.mark.parametrize("way", WAYS)
def test_whichever_way_a_text_changes_it_must_pass_the_level_again(anna, way):
    channel = ChannelFactory(site=site_of_three_levels())
    content = ContentFactory(channel=channel, title="First", tags="sea")
    change(browser_of(AdministratorFactory()), content, title="Seen")
    Content.objects.filter(pk=content.pk).update(checked_level=1)
    WAYS[way](anna, content)
    assert (stored(content).version, stored(content).checked_level) == (3, 0)


def test_a_level_that_an_unchanged_form_leaves_stays(anna):
    content = ContentFactory(channel=ChannelFactory(site=site_of_three_levels()), checked_level=1)
    change(anna, content)
    assert stored(content).checked_level == 1


def test_the_history_has_the_level_and_goes_back_with_it(anna):
    content = ContentFactory(channel=ChannelFactory(site=site_of_three_levels()), checked_level=1, title="Seen")
    change(anna, content, title="Unseen")
    assert members_at(stored(content), 1, ["checked_level"]) == {"checked_level": 1}


def test_a_level_passed_in_between_leaves_the_approval(carl):
    content = ContentFactory(channel=ChannelFactory(site=site_of_three_levels()), checked_level=0)
    approve(carl, content)
    helper = administrator_with(*WRITER, "contents.approve1_content")
    act(browser_of(helper), PAGE, "approve", content, reasons="Fine so far.")
    assert stored(content).checked_level == 1
    assert is_planned(content)
    pass_time(content)
    assert stored(content).is_checked


# ---- drafts of public contents


def test_a_change_of_the_draft_ends_its_approval(anna, carl, drafted):
    change(anna, drafted, title="Unseen")
    draft = ContentDraft.objects.get()
    assert draft.checked_level == 0
    assert not is_planned(drafted)
    link = place(PAGE, "draft", drafted.pk)
    assert told_to(carl) == [("anna changed “Old” after your approval", link)]
    assert link in browser_of(carl).get(place(PAGE, "waiting")).content.decode()
    pass_time(drafted)
    assert stored(drafted).title == "Old"


def test_a_draft_that_was_approved_unsubmitted_waits_after_a_change(anna, carl):
    content = ContentFactory(title="Old", is_checked=True)
    change(anna, content, title="Seen")
    approve(carl, content)
    change(anna, content, title="Unseen")
    assert ContentDraft.objects.get().checked_level == 0
    assert not is_planned(content)


def test_a_draft_saved_as_it_is_or_submitted_keeps_its_approval(anna, carl):
    content = ContentFactory(title="Old", is_checked=True)
    change(anna, content, title="Seen")
    approve(carl, content)
    change(anna, content)
    change(anna, content, _hand_in="1")
    pass_time(content)
    assert stored(content).title == "Seen"
    assert told_to(carl) == []


def test_an_approver_or_a_key_changes_a_draft_that_is_published_at_its_time(api, carl, drafted):
    change(browser_of(carl), drafted, title="By carl")
    address = f"/api/v1/contents/{drafted.site_id}/{drafted.channel_id}/{drafted.pk}"
    assert api.put(address, {"isDraft": True, "summary": "By key"}).status_code == 200
    pass_time(drafted)
    assert (stored(drafted).title, stored(drafted).summary) == ("By carl", "By key")


def test_a_rejected_draft_is_not_published(carl, drafted):
    sent = {"act": "reject", "version": ContentDraft.objects.get().version, "reasons": "No."}
    browser_of(carl).post(place(PAGE, "draft", drafted.pk), sent)
    assert ContentDraft.objects.get().checked_level == -1
    pass_time(drafted)
    assert stored(drafted).title == "Old"


def test_public_changes_and_a_withdrawal_leave_the_approval_of_the_draft(api, drafted):
    address = f"/api/v1/contents/{drafted.site_id}/{drafted.channel_id}/{drafted.pk}"
    api.put(address, {"summary": "Public"})
    api.put(address, {"isChecked": False})
    pass_time(drafted)
    assert (stored(drafted).title, stored(drafted).summary, stored(drafted).is_checked) == ("Seen", "Public", True)


def test_a_withdrawal_that_is_undone_leaves_the_approval_of_the_draft(carl, drafted):
    browser = browser_of(carl)
    undo(browser, act(browser, PAGE, "withdraw", drafted))
    assert (stored(drafted).title, stored(drafted).is_checked) == ("Old", True)
    pass_time(drafted)
    assert stored(drafted).title == "Seen"


def test_a_withdrawn_content_that_is_rejected_ends_the_approval_of_its_draft(api, carl, drafted):
    api.put(f"/api/v1/contents/{drafted.site_id}/{drafted.channel_id}/{drafted.pk}", {"isChecked": False})
    act(browser_of(carl), PAGE, "reject", drafted, reasons="No.")
    assert stored(drafted).checked_level == -1
    assert not is_planned(drafted)


@pytest.mark.parametrize("way", ["table", "earlier version", "tag renamed", "mark", "group", "tags", "moved"])
def test_a_change_of_a_withdrawn_content_ends_the_approval_of_its_draft(api, anna, carl, drafted, way):
    """The draft would publish the change, too."""
    address = f"/api/v1/contents/{drafted.site_id}/{drafted.channel_id}/{drafted.pk}"
    api.put(address, {"tags": "sea"})
    api.put(address, {"isChecked": False})
    ContentDraft.objects.update(checked_level=1)
    version = ContentDraft.objects.get().version
    WAYS[way](anna, drafted)
    draft = ContentDraft.objects.get()
    assert (draft.checked_level, draft.version) == (0, version + 1)
    assert not is_planned(drafted)
    assert [link for _words, link in told_to(carl)] == [place(PAGE, "draft", drafted.pk)]
    pass_time(drafted)
    assert not stored(drafted).is_checked


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_draft", [False, True])
def test_a_change_at_the_very_time_is_never_published(anna, carl, has_draft):
    content = ContentFactory(title="Old" if has_draft else "Seen", is_checked=has_draft, checked_level=0)
    if has_draft:
        change(anna, content, title="Seen", _hand_in="1")
    approve(carl, content)
    typed = open_form(anna, content) | {"title": "Unseen"}
    ContentSchedule.objects.update(publish_at=clock.now() - timedelta(seconds=1))
    at_once(None, lambda _client: save(anna, content, typed), *[lambda _client: scheduling.apply_due()] * 2)
    scheduling.apply_due()
    assert not ContentSchedule.objects.exists()
    assert stored(content).title in ({"Seen", "Old"} if stored(content).is_checked else {"Unseen"})


# ---- the second fence


@pytest.mark.parametrize("level", [-99, 0, 1])
def test_the_scheduler_does_not_publish_another_version_than_the_approved_one(carl, content, level):
    Content.objects.filter(pk=content.pk).update(title="Unseen", version=F("version") + 1, checked_level=level)
    Content.objects.filter(pk=content.pk).update(last_edit_user_name="anna")
    pass_time(content)
    assert (stored(content).is_checked, stored(content).checked_level) == (False, max(level, 0))
    assert not ContentSchedule.objects.exists()
    assert told_to(carl) == [
        ("anna changed “Unseen” after your approval", f"{place(PAGE, 'compare', content.pk)}?from=2")
    ]
    assert [entry.details["reason"] for entry in noted("content.schedule_skipped")] == ["changed"]


def test_a_later_change_by_a_key_approves_nothing_that_came_before(api, content):
    Content.objects.filter(pk=content.pk).update(title="Unseen", version=F("version") + 1)
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    assert api.put(address, {"summary": "By key"}).status_code == 200
    pass_time(content)
    assert not stored(content).is_checked


def test_another_time_of_withdrawal_approves_nothing(api, content):
    Content.objects.filter(pk=content.pk).update(title="Unseen", version=F("version") + 1)
    address = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    api.put(address, {"unpublishAt": (LATER + timedelta(days=1)).isoformat(" ")})
    pass_time(content)
    assert not stored(content).is_checked


def test_the_scheduler_does_not_publish_another_draft_than_the_approved_one(carl, drafted):
    ContentDraft.objects.update(draft_values='{"title":"Unseen"}', version=F("version") + 1, checked_level=-99)
    pass_time(drafted)
    assert stored(drafted).title == "Old"
    assert ContentDraft.objects.get().checked_level == 0
    assert told_to(carl) == [("anna changed “Old” after your approval", place(PAGE, "draft", drafted.pk))]


def test_the_trash_leaves_what_was_approved(content):
    for _turn in range(2):
        trash_content(content.site_id, content.channel_id, content.pk)
        restore_content(content.site_id, content.pk)
    trash_channel(content.site_id, content.channel_id)
    restore_channel(content.site_id, content.channel_id)
    pass_time(content)
    assert stored(content).is_checked


def test_a_row_of_an_earlier_release_counts_until_somebody_changes_the_text(anna):
    rows = [ContentFactory(checked_level=0) for _each in range(3)]
    for content in rows:
        ContentSchedule.objects.create(
            content=content, site_id=content.site_id, publish_at=LATER, actor_kind="administrator", actor_name="carl"
        )
    change(anna, rows[1], title="Unseen")
    change(browser_of(AdministratorFactory(user_name="harriet")), rows[2], title="Also seen")
    for content in rows:
        pass_time(content)
    assert [stored(content).is_checked for content in rows] == [True, False, True]


def test_the_migration_counts_the_present_versions_as_approved(content, drafted):
    expected = list(ContentSchedule.objects.order_by("pk").values_list("approved_draft", "approved_version"))
    ContentSchedule.objects.update(approved_draft=None, approved_version=None)
    fill = import_module("contents.migrations.0024_fill_approved_versions").fill
    fill(apps, None)
    assert list(ContentSchedule.objects.order_by("pk").values_list("approved_draft", "approved_version")) == expected
    assert [bool(draft) for draft, _version in expected] == [False, True]
