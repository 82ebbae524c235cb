"""The form of a content with a draft, its page, and the queue."""

import re

import orjson
import pytest
from django.test import Client

from contents.models import Content, ContentChange, ContentDraft, ContentGroup, ContentSchedule, CustomField
from contents.services.approval import state_of
from contents.services.drafts import find_draft, overlay, save_draft
from contents.services.single import update_content
from core.rest.serializers import Members
from tests.admin.pages.browsing import act as act_on
from tests.admin.pages.browsing import place, told, undo, unrendered
from tests.admin.pages.writing.forms import PAGE, change, open_form, save, save_new
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def content():
    return ContentFactory(title="Old", summary="Short", content="<p>Old</p>", is_checked=True)


@pytest.fixture
def author():
    browser = Client()
    browser.force_login(administrator_with("contents.change_content", "contents.view_content", user_name="anna"))
    return browser


def page_of(client, content, name="change"):
    return client.get(place(PAGE, name, content.pk)).content.decode()


def open_page(client, content):
    return unrendered(client, place(PAGE, "change", content.pk)).context_data["form"]


def decide(client, content, act, **sent):
    draft = ContentDraft.objects.get(content=content)
    return client.post(place(PAGE, "draft", content.pk), {"act": act, "version": draft.version} | sent)


def edit(content, **values):
    update_content(content.site_id, content.channel_id, content.pk, Members(values, {}), "bob")


def public(content):
    return Content.objects.select_related("body").get(pk=content.pk)


def test_an_author_edits_a_draft_and_an_approver_publishes_it(author, content, highest):
    page = page_of(author, content)
    assert "This content item is public. Your changes are saved as a draft" in page
    assert "Save and publish" not in page
    answer = change(author, content, title="New", body="<p>New</p>")
    assert told(answer) == ["The draft was saved. Visitors still see the public version."]
    assert (public(content).title, public(content).body.text, public(content).version) == ("Old", "<p>Old</p>", 1)
    page = page_of(author, content)
    assert "You are editing the draft of" in page and "by anna" in page
    assert open_form(author, content)["title"] == "New"
    assert told(change(author, content, summary="Long", _hand_in="1"))[0].startswith(
        "The draft was saved and submitted for approval."
    )
    waiting = page_of_queue(highest, "waiting")
    assert "Drafts of public content items" in waiting and place(PAGE, "draft", content.pk) in waiting
    compared = page_of(highest, content, "draft")
    assert "<ins>New</ins>" in compared and "<del>Old</del>" in compared and "Approve and publish" in compared
    assert told(decide(highest, content, "approve", reasons="Well done.")) == ["The draft of “New” was published."]
    after = public(content)
    assert (after.title, after.summary, after.body.text, after.last_edit_user_name) == (
        *("New", "Long", "<p>New</p>"),
        "anna",
    )
    assert "Draft published" in page_of(highest, content, "history")
    assert_derived()


def page_of_queue(client, name):
    return client.get(place(PAGE, name)).content.decode()


@pytest.mark.parametrize("rights", [set(), {"approve1"}])
def test_no_button_of_the_form_publishes_without_the_right(client, content, rights):
    site = content.site
    site.settings = {"isCheckContentLevel": True, "checkContentLevel": 2}
    site.save()
    client.force_login(administrator_with(*(f"contents.{right}_content" for right in {"change", *rights})))
    for button in ("_save", "_continue", "_draft", "_hand_in", "_publish"):
        change(client, content, title=f"New {button}", **{button: "1"})
        assert public(content).title == "Old"
    assert ContentDraft.objects.exists()


def test_a_form_that_is_refused_makes_no_draft(author, content):
    for refused, status in (({"title": " "}, 200), ({"seen_version": "7"}, 409)):
        assert change(author, content, **{"title": "New", "_hand_in": "1"} | refused).status_code == status
    assert not ContentDraft.objects.exists()


def test_who_may_publish_chooses_between_both(highest, content):
    page = page_of(highest, content)
    assert "Save and publish" in page and 'name="_draft"' in page
    change(highest, content, title="Draft", _draft="1")
    assert public(content).title == "Old" and public(content).is_checked
    answer = change(highest, content, summary="Long", _publish="1")
    assert told(answer) == ["The draft was published."]
    assert (public(content).title, public(content).summary) == ("Draft", "Long")
    change(highest, content, title="At once")
    assert public(content).title == "At once"
    assert not ContentDraft.objects.exists()


def test_a_rejected_draft_tells_its_reasons_until_it_is_submitted_again(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    refused = decide(highest, content, "reject", reasons=" ")
    assert "Give reasons for the rejection." in told(refused)
    assert (
        told(decide(highest, content, "reject", reasons="Names are wrong."))[-1] == "The draft of “New” was rejected."
    )
    assert "reasons: Names are wrong." in page_of(author, content)
    assert "Names are wrong." in page_of_queue(author, "unfinished")
    change(author, content, title="Newer")
    assert ContentDraft.objects.get().checked_level == -1
    change(author, content, _hand_in="1")
    assert (ContentDraft.objects.get().checked_level, ContentDraft.objects.get().reasons) == (0, "")


def test_an_approver_who_corrects_a_waiting_draft_leaves_it_in_the_queue(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    change(highest, content, title="Newer")
    draft = ContentDraft.objects.get()
    assert (draft.checked_level, draft.editor) == (0, "harriet")


def test_messages_describe_what_was_done(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    waits = "The draft was saved, and waits for approval. Visitors still see the public version."
    assert told(change(author, content, title="Newer")) == [waits]
    assert 'name="_hand_in"' not in page_of(author, content)


@pytest.mark.parametrize("level", [-99, 0, -1, 1])
def test_who_decides_nothing_saves_or_submits_what_waits_for_its_author(author, level):
    content = ContentFactory(title="Old", checked_level=level, settings_xml='{"check_reasons":"No."}')
    page = page_of(author, content)
    assert 'name="state"' not in page
    assert str(state_of(content)) in page
    waits_for_author = level < 0
    assert (">Save draft</button>" in page, ">Submit for approval</button>" in page) == (waits_for_author,) * 2
    assert ('name="_draft"' in page) is not waits_for_author  # takes it back
    assert ("press “Submit for approval”" in page) is (level == -1)
    sent = {"title": "New", "state": ""}
    assert told(change(author, content, **sent)) == ["The content item was saved."]
    assert Content.objects.get().checked_level == min(level, 0)
    answer = change(author, content, _hand_in="1")
    assert Content.objects.get().checked_level == 0
    if waits_for_author:
        assert told(answer) == ["The content item was saved and submitted for approval."]


@pytest.mark.parametrize(
    ("button", "level", "message"),
    [
        ("_draft", -99, "Saved as a draft; only editors can see it."),
        ("_continue", -99, "Saved as a draft; only editors can see it."),
        ("_hand_in", 0, "The content item was saved and submitted for approval."),
    ],
)
def test_a_new_content_is_saved_or_submitted(client, button, level, message):
    client.force_login(administrator_with("contents.add_content", "contents.change_content", "contents.view_content"))
    channel = ChannelFactory()
    page = client.get(place(PAGE, "add"), {"channel": channel.pk}).content.decode()
    assert 'name="state"' not in page and 'name="_save"' not in page
    assert ">Save draft</button>" in page and ">Submit for approval</button>" in page
    answer = save_new(client, channel, {"title": "New", button: "1"})
    assert told(answer) == [message]
    assert Content.objects.get().checked_level == level


def keys_of(page):
    """The names of the buttons by the keys that press them."""
    buttons = re.findall('<button type="submit" name="(.*?)"[^>]* aria-keyshortcuts="(.*?)"', page)
    return {key: name for name, keys in buttons for key in keys.split()}


def test_keys_save_without_publishing_and_press_the_main_button(author, content, highest):
    def keys(stays, main):
        return {"Control+S": stays, "Control+Enter": main}

    waiting, channel, writer = ContentFactory(channel=content.channel), {"channel": content.channel_id}, Client()
    assert keys_of(page_of(author, content)) == keys("_continue", "_hand_in")
    assert keys_of(page_of(highest, waiting)) == keys("_continue", "_save")
    assert keys_of(page_of(highest, content)) == keys("_draft", "_save")
    change(author, content, title="New")
    assert keys_of(page_of(highest, content)) == keys("_continue", "_publish")
    writer.force_login(administrator_with("contents.add_content", "contents.view_content", user_name="ben"))
    for client in (highest, writer):
        assert keys_of(client.get(place(PAGE, "add"), channel).content.decode()) == keys("_draft", "_hand_in")


def test_another_content_follows_in_the_same_channel(highest):
    channel = ChannelFactory()
    answer = save_new(highest, channel, {"title": "One", "_addanother": "1"})
    assert answer.url == f"{place(PAGE, 'add')}?channel={channel.pk}"
    assert Content.objects.get().checked_level == -99


def test_the_state_is_told_in_words_below_the_title(author, content, highest):
    def status(client, of):
        part = page_of(client, of).partition('class="writing-status"')[2].partition("</p>")[0]
        return re.findall("<span>(.*?)</span>", part)

    content.site.settings = {"isCheckContentLevel": True, "checkContentLevel": 2}
    content.site.save()
    passed = ContentFactory(channel=content.channel, checked_level=1)
    assert status(highest, passed) == ["Passed level 1", "Levels of approval passed: 1 of 2"]
    assert status(highest, content) == ["Public"]
    change(author, content, title="New", _hand_in="1")
    waits = ["Public", "Draft: Waiting for approval", "Levels of approval passed: 0 of 2"]
    assert status(author, content) == waits
    act_on(highest, PAGE, "schedule", content, unpublish_at=LATER)
    assert status(author, content) == [*waits, "Will be unpublished: 2199-01-01 08:00"]


def test_who_decides_on_some_level_has_states(client):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    content = ContentFactory(channel=ChannelFactory(site=site), checked_level=-1)
    client.force_login(administrator_with(*("contents.change_content", "contents.approve1_content")))
    page = page_of(client, content)
    assert 'name="state"' in page and ">Submit for approval</button>" in page


# ---- approved for a time


def planned(content, highest):
    if content.is_checked:
        return decide(highest, content, "schedule", publish_at=LATER)
    return act_on(highest, PAGE, "schedule", content, publish_at=LATER)


STATE = "Approved; will be published on 2199-01-01 08:00"
ENDS = "Approved by harriet for 2199-01-01 08:00. Your change needs approval again."


@pytest.mark.parametrize("is_draft", [True, False])
def test_the_form_names_the_approval_and_who_ends_it_with_a_change(author, content, highest, is_draft):
    if is_draft:
        change(author, content, title="Seen", _hand_in="1")
    else:
        content = ContentFactory(title="Seen", checked_level=0)
    planned(content, highest)
    page = page_of(author, content)
    assert STATE in page and ENDS in page and "Waiting for approval" not in page
    page = page_of(highest, content)
    assert STATE in page and ENDS not in page
    assert STATE in page_of(highest, content, "draft" if is_draft else "review")
    assert told(change(author, content, title="Unseen"))[0].endswith(" Your change needs approval again.")
    assert STATE not in page_of(author, content) and "Waiting for approval" in page_of(author, content)


def test_the_form_names_the_level_that_a_change_ends(author):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    content = ContentFactory(channel=ChannelFactory(site=site), checked_level=1)
    assert "Passed level 1. Your change needs approval again." in page_of(author, content)


def test_an_unchanged_form_makes_no_draft(author, content):
    assert told(change(author, content)) == ["Nothing was changed."]
    assert not ContentDraft.objects.exists()


def test_two_people_who_edit_one_draft_meet_the_page_of_conflicts(author, content, highest):
    change(author, content, title="New")
    sent = open_form(author, content)
    change(highest, content, title="Mine", summary="Long", _draft="1")
    answer = save(author, content, sent | {"title": "Theirs"})
    assert answer.status_code == 409
    assert "harriet" in answer.content.decode()
    assert ContentDraft.objects.get().draft_values == '{"title":"Mine","summary":"Long"}'
    shown = answer.context["form"]
    again = {name: shown[name].value() for name in ("seen_version", "seen_draft")}
    merged = (
        sent | again | {"title": "Theirs", "summary": "Short", "contested": ["title", "summary"], "take": ["summary"]}
    )
    assert save(author, content, merged).status_code == 302
    assert ContentDraft.objects.get().draft_values == '{"title":"Theirs","summary":"Long"}'


def test_a_draft_that_was_published_or_begun_meanwhile_is_a_conflict(author, content, highest):
    opened = open_form(highest, content)
    change(author, content, title="New", _hand_in="1")
    sent = open_form(author, content)
    assert save(highest, content, opened | {"summary": "Mine"}).status_code == 409
    decide(highest, content, "approve")
    assert save(author, content, sent | {"title": "Newer"}).status_code == 409
    assert (public(content).title, public(content).summary) == ("New", "Short")
    assert not ContentDraft.objects.exists()


@pytest.mark.parametrize("takes", [False, True])
def test_what_was_changed_publicly_as_well_is_merged_in_the_form(author, content, highest, takes):
    change(author, content, title="New", summary="Long", _hand_in="1")
    edit(content, title="Public", author="Bob")
    compared = page_of(highest, content, "draft")
    assert "Others have changed these fields publicly since the draft began: Title" in compared
    assert "Others have changed the same fields publicly" in told(decide(highest, content, "approve"))[0]
    page = page_of(author, content)
    assert 'name="contested" value="title"' in page and 'value="summary"' not in page
    change(author, content, contested=["title"], _hand_in="1", **({"take": ["title"]} if takes else {}))
    decide(highest, content, "approve")
    after = public(content)
    assert (after.title, after.summary, after.author) == ("Public" if takes else "New", "Long", "Bob")


def test_public_changes_since_the_form_was_opened_are_taken_over(author, content):
    change(author, content, title="New")
    sent = open_form(author, content)
    edit(content, summary="Long")
    answer = save(author, content, sent | {"author": "Ann"})
    assert answer.status_code == 409
    form = answer.context["form"]
    assert (form["summary"].value(), form["title"].value(), form["author"].value()) == ("Long", "New", "Ann")


def test_a_draft_is_cleaned_as_a_content_is(author, content):
    answer = change(author, content, title="<b onclick=ran()>b</b>", summary="a < b<script>ran()</script>")
    assert "onclick" in told(answer)[0] and "script" in told(answer)[0]
    draft = ContentDraft.objects.get()
    assert orjson.loads(draft.draft_values) == {"title": "<b>b</b>", "summary": "a < b"}
    answer = change(author, content, title="<script>ran()</script>")
    assert list(answer.context["form"].errors) == ["title"]
    assert ContentDraft.objects.get().version == draft.version


def test_discarding(author, content):
    change(author, content, title="New")
    assert told(decide(author, content, "discard"))[-1] == "The draft of “New” was discarded. The public version stays."
    assert not ContentDraft.objects.exists()
    answer = author.get(place(PAGE, "draft", content.pk))
    assert answer["Location"] == place(PAGE, "change", content.pk)


def test_a_decision_counts_for_the_version_that_was_seen(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    for act in ("approve", "reject", "discard"):
        answer = decide(highest, content, act, version=1, reasons="No.")
        assert answer["Location"].startswith(place(PAGE, "draft", content.pk))
    assert ContentDraft.objects.get().checked_level == 0
    assert public(content).title == "Old"


def test_the_rights_to_the_page_of_a_draft(author, content, client):
    change(author, content, title="New", _hand_in="1")
    assert "Approve" not in page_of(author, content, "draft").split('class="review"')[1].split("discard")[0]
    assert decide(author, content, "approve").status_code == 404
    assert decide(author, content, "nonsense").status_code == 404
    other = AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk))
    client.force_login(other)
    assert client.get(place(PAGE, "draft", content.pk)).status_code == 404
    for act in ("approve", "reject", "submit", "discard"):
        decide(client, content, act, reasons="No.")
    assert place(PAGE, "draft", content.pk) not in page_of_queue(client, "waiting")
    client.force_login(administrator_with("contents.view_content"))
    assert "New" in page_of(client, content, "draft")
    assert decide(client, content, "discard").status_code == 404
    assert (ContentDraft.objects.get().checked_level, public(content).title) == (0, "Old")


def test_after_a_decision_the_next_draft_opens_and_the_menu_counts_both(author, content, highest):
    second = ContentFactory(channel=content.channel, title="Second", is_checked=True)
    waiting = ContentFactory(channel=content.channel, title="Waiting")
    for each in (content, second):
        change(author, each, title="New", _hand_in="1")
    assert ">3<" in page_of_queue(highest, "waiting")
    assert decide(highest, content, "approve")["Location"] == place(PAGE, "draft", second.pk)
    assert decide(highest, second, "approve")["Location"] == place(PAGE, "review", waiting.pk)


def test_the_list_marks_contents_with_a_draft(author, content, highest, django_assert_num_queries):
    ContentFactory(channel=content.channel, is_checked=True)
    change(author, content, title="New")
    page = page_of_queue(highest, "changelist")
    assert page.count(f'href="{place(PAGE, "draft", content.pk)}"') == 1
    assert page.count('class="state state-draft"') == 1


def test_a_field_that_only_the_draft_has_is_in_its_form_alone(author, content, highest):
    save_draft(content.site_id, content.channel_id, content.pk, Members({}, {"plan": "moon", "old": 1}), "anna")
    other = ContentFactory(channel=content.channel)
    for shown in (content, other):
        labels = [field.label for field in open_page(author, shown).sections["custom"]]
        assert labels == (["old", "plan"] if shown is content else [])
    name = next(field.html_name for field in open_page(author, content).sections["custom"] if field.label == "plan")
    change(author, content, title="New", **{name: "mars"})
    assert overlay(content, find_draft(content)).settings_xml == '{"plan":"mars","old":1}'
    assert not CustomField.objects.exists()
    decide(highest, content, "approve")
    assert '"plan":"mars","old":1' in public(content).settings_xml
    assert list(CustomField.objects.exclude(name__startswith="check_").values_list("name", flat=True)) == [
        "old",
        "plan",
    ]


def test_groups_and_custom_fields_are_part_of_a_draft(author, content, highest):
    ContentGroup.objects.create(site=content.site, group_name="g")
    change(author, content, groups=["g"], new_groups="h", _hand_in="1")
    assert public(content).group_name_collection == ""
    assert open_form(author, content)["groups"] == ["g", "h"]
    decide(highest, content, "approve")
    assert public(content).group_name_collection == "g,h"
    assert_derived()


def test_the_script_of_the_form_learns_of_newer_drafts(author, content):
    def version():
        return author.get(place(PAGE, "version", content.pk)).json()

    assert version()["version"] == 1
    change(author, content, title="New")
    draft = ContentDraft.objects.get()
    assert (version()["version"], version()["user_name"]) == (draft.version, "anna")
    assert f'data-version="{draft.version}"' in page_of(author, content)


def test_a_site_with_levels_passes_a_draft_on(author, highest):
    approver = Client()
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    content = ContentFactory(channel=ChannelFactory(site=site), title="Old", is_checked=True)
    change(author, content, title="New", _hand_in="1")
    approver.force_login(administrator_with("contents.view_content", "contents.approve1_content"))
    assert "Approve up to level 1" in page_of(approver, content, "draft")
    assert told(decide(approver, content, "approve")) == ["The draft of “New” was approved up to level 1."]
    assert place(PAGE, "draft", content.pk) not in page_of_queue(approver, "waiting")
    assert place(PAGE, "draft", content.pk) in page_of_queue(highest, "waiting")
    assert public(content).title == "Old"


# ---- for a time

LATER = "2199-01-01T08:00"


def test_a_draft_is_approved_for_a_time_and_leaves_the_queue(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    assert told(decide(highest, content, "schedule")) == ["Enter the time of publication."]
    done = decide(highest, content, "schedule", publish_at=LATER)
    assert told(done)[-1].startswith("“New” was approved. Will be published: 2199-01-01 08:00 <a ")
    assert str(ContentSchedule.objects.get(pk=content.pk).publish_at) == "2199-01-01 08:00:00"
    assert public(content).title == "Old"
    assert place(PAGE, "draft", content.pk) not in page_of_queue(highest, "waiting")
    assert f'href="{place(PAGE, "draft", content.pk)}">Draft</a>' in page_of_queue(highest, "changelist")
    decide(highest, content, "schedule", publish_at="2020-01-01T08:00", reasons="Well done.")
    assert public(content).title == "New"
    assert ContentChange.objects.get(kind="published").reasons == "Well done."


def test_the_approval_of_a_draft_for_a_time_can_be_undone(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    done = decide(highest, content, "schedule", publish_at=LATER)
    undone = undo(highest, done)
    assert undone["Location"] == place(PAGE, "draft", content.pk)
    assert told(undone)[-1] == "1 change was undone."
    assert not ContentSchedule.objects.exists()
    assert place(PAGE, "draft", content.pk) in page_of_queue(highest, "waiting")


def test_a_draft_that_has_changed_or_cannot_be_published_is_not_scheduled(author, content, highest):
    change(author, content, title="New", _hand_in="1")
    sent = {"act": "schedule", "publish_at": LATER}
    assert told(highest.post(place(PAGE, "draft", content.pk), sent | {"version": 1}))[0].startswith("It has changed")
    edit(content, title="Other")
    assert "Others have changed the same fields" in told(decide(highest, content, "schedule", publish_at=LATER))[-1]
    assert decide(author, content, "schedule", publish_at=LATER).status_code == 404
    assert not ContentSchedule.objects.exists()


def test_a_reviewed_content_is_approved_for_a_time_in_the_version_that_was_seen(highest):
    waiting = ContentFactory(title="Waiting")
    assert "Approve for this date" in page_of(highest, waiting, "review")
    sent = {"from": "review", "publish_at": LATER, "reasons": "Well done."}
    for seen, is_scheduled in ((waiting.version + 1, False), (waiting.version, True)):
        answer = highest.post(place(PAGE, "action", "schedule"), sent | {"ids": f"{waiting.pk}:{seen}"})
        assert ContentSchedule.objects.filter(reasons="Well done.").exists() is is_scheduled
    week = f'<a href="{place(PAGE, "calendar")}?week=2199-01-01" data-dialog=".calendar">Show the week</a>'
    assert told(answer)[-1] == f"“Waiting” was approved. Will be published: 2199-01-01 08:00 {week}"
    assert place(PAGE, "review", waiting.pk) not in page_of_queue(highest, "waiting")


def test_reasons_without_a_time_of_publication_are_refused(highest):
    waiting = ContentFactory()
    sent = {"from": "review", "ids": f"{waiting.pk}:{waiting.version}", "unpublish_at": LATER, "reasons": "Well done."}
    answer = highest.post(place(PAGE, "action", "schedule"), sent)
    assert list(answer.context["form"].errors) == ["reasons"]
    assert not ContentSchedule.objects.exists()
