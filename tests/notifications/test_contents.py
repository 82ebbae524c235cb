"""Contents that wait, and decisions on them: from the act to the e-mail."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from contents import scheduling
from contents.models import Content, ContentSchedule
from contents.notifications import notify_new
from contents.services import approval, drafts, single
from contents.services.approval import deciders_of
from contents.storing.locking import Seen
from core import audit
from core.audit import Actor
from core.lib import clock
from core.notifications.models import FollowedFeed, Notification
from core.notifications.words import headline
from core.rest.serializers import Members
from events.models import Event
from events.numbering import number_new
from tests.admin.world import administrator_with
from tests.clients import ApiClient
from tests.contents.test_approval import approver, site_with
from tests.contents.threads import at_once, outcome
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, ContentFactory
from tests.notifications.reading import follow, mails, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def beginning(db):
    follow()


def acting(user):
    return audit.acting_as(Actor("administrator", administrator_id=user.pk, name=user.user_name))


def decider(name="chief", **fields):
    return AdministratorFactory(user_name=name, email=f"{name}@example.org", **fields)


def author(name="anna"):
    return administrator_with("contents.add_content", user_name=name, email=f"{name}@example.org")


def create(channel, user, title="Lamps", **values):
    with acting(user):
        return single.create_content(
            channel.site_id, channel.pk, Members({"title": title} | values, {}), user.user_name
        )


def test_a_submitted_content_is_told_to_those_who_may_approve_it_in_both_languages(moved):
    chief, anna = decider(), author()
    decider("elsewhere", is_superuser=False, site_id_collection="999")
    content = create(ChannelFactory(), anna)
    follow()
    assert told() == [("chief", "content.submitted", ["Lamps"])]
    row = Notification.objects.get()
    assert (row.administrator, row.subject_kind, row.subject_id, row.site_id) == (
        *(chief, "content", content.pk),
        content.site_id,
    )
    ((recipient, subject, text),) = mails(moved)
    assert (recipient, subject) == ("chief@example.org", "“Lamps” waits for your approval")
    assert f"https://cms.example.org/admin/notifications/{row.pk}/" in text
    assert mails(moved, days=1) == []
    chief.language = "zh-hans"
    chief.save()
    create(ChannelFactory(), anna, title="Ropes")
    follow()
    assert [subject for _to, subject, _text in mails(moved)] == ["“Ropes”等待您审核"]


def test_drafts_and_contents_that_are_created_approved_are_told_to_no_one():
    decider()
    for values in ({"checked_level": approval.DRAFT}, {"is_checked": True}):
        create(ChannelFactory(), author(f"anna{len(values)}{'is_checked' in values}"), **values)
    follow()
    assert told() == []


def test_own_submissions_are_told_to_the_others_only_but_those_of_a_key_to_its_owner_too():
    channel, chief, _other = ChannelFactory(), decider(), decider("other")
    create(channel, chief)
    follow()
    assert told() == [("other", "content.submitted", ["Lamps"])]
    key = ApiKeyFactory(administrator=chief)
    ApiClient(key.token).post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "Ropes"})
    follow()
    assert sorted(told()[1:]) == [("chief", "content.submitted", ["Ropes"]), ("other", "content.submitted", ["Ropes"])]


def test_a_passed_level_is_told_to_those_of_the_next_level(moved):
    site = site_with(3)
    first, third = (administrator_with(f"contents.approve{n}_content") for n in (1, 3))
    content = create(ChannelFactory(site=site), author())
    follow()
    names = {first.user_name, third.user_name}
    assert {name for name, _kind, _titles in told()} == names
    Notification.objects.all().delete()
    with acting(first):
        approval.approve_each([Seen(site.pk, content.pk)], first)
    follow()
    assert told() == [(third.user_name, "content.submitted", ["Lamps"])]


def test_a_handed_in_content_is_told(moved):
    chief, anna = decider(), author()
    content = create(ChannelFactory(), anna, checked_level=approval.DRAFT)
    with acting(anna):
        approval.hand_in_each([Seen(content.site_id, content.pk)], "anna")
    follow()
    assert told() == [(chief.user_name, "content.submitted", ["Lamps"])]


def test_decisions_are_told_to_the_author_with_the_reasons(moved):
    chief, anna = decider(), author()
    channel = ChannelFactory()
    first, second = create(channel, anna), create(channel, anna, title="Ropes")
    follow()
    Notification.objects.all().delete()
    with acting(chief):
        approval.approve_each([Seen(channel.site_id, first.pk)], chief)
        approval.reject_each([Seen(channel.site_id, second.pk)], chief, "Too long.")
    follow()
    assert sorted(told()) == [("anna", "content.approved", ["Lamps"]), ("anna", "content.rejected", ["Ropes"])]
    found = {subject: text for _to, subject, text in mails(moved)}
    assert found.keys() == {"“Lamps” was approved", "“Ropes” was rejected"}
    assert found["“Ropes” was rejected"].startswith("Reasons: Too long.\n")


def test_own_decisions_and_those_on_contents_of_strangers_are_not_told():
    chief = decider()
    channel = ChannelFactory()
    own = create(channel, chief)
    strange = ContentFactory(channel=channel, add_user_name="gone")
    follow()
    Notification.objects.all().delete()
    with acting(chief):
        approval.approve_each([Seen(channel.site_id, each.pk) for each in (own, strange)], chief)
    follow()
    assert told() == []


def test_a_publication_by_schedule_is_told_to_the_author_who_may_have_scheduled_it(moved):
    chief = decider()
    content = create(ChannelFactory(), chief)
    follow()
    ContentSchedule.objects.create(
        content=content,
        site_id=content.site_id,
        publish_at=moved.now(),
        actor_kind="administrator",
        administrator_id=chief.pk,
        actor_name="chief",
    )
    scheduling.apply_due()
    follow()
    assert told() == [("chief", "content.published", ["Lamps"])]
    assert [subject for _to, subject, _text in mails(moved)] == ["“Lamps” was published by its schedule"]


@pytest.fixture
def draft():
    """A draft of anna's of a public content."""
    author()
    content = ContentFactory(channel=ChannelFactory(site=site_with(2)), title="Old", is_checked=True)
    follow()
    drafts.save_draft(content.site_id, content.channel_id, content.pk, Members({"title": "New"}, {}), "anna")
    return content


def version_of(content):
    return content.draft.__class__.objects.get(pk=content.pk).version


def test_a_draft_is_told_at_each_level_and_its_publication_to_its_editor(draft):
    chief, first = decider(), administrator_with("contents.approve1_content", user_name="first")
    assert told() == []
    drafts.submit_draft(draft.site_id, draft.pk, version_of(draft))
    assert sorted(told()) == [("chief", "content.submitted", ["Old"]), ("first", "content.submitted", ["Old"])]
    Notification.objects.all().delete()
    with acting(first):
        drafts.approve_draft(draft.site_id, draft.pk, first, version_of(draft))
    assert told() == [("chief", "content.submitted", ["Old"])]
    Notification.objects.all().delete()
    with acting(chief):
        drafts.approve_draft(draft.site_id, draft.pk, chief, version_of(draft))
    follow()
    assert told() == [("anna", "content.approved", ["New"])]


def test_a_rejected_draft_is_told_to_its_editor(draft):
    chief = decider()
    drafts.submit_draft(draft.site_id, draft.pk, version_of(draft))
    Notification.objects.all().delete()
    with acting(chief):
        drafts.reject_draft(draft.site_id, draft.pk, chief, version_of(draft), "Too long.")
    assert told() == [("anna", "content.rejected", ["Old"])]
    assert Notification.objects.get().params["items"][0]["note"] == "Too long."


def test_two_thousand_approvals_take_few_statements_and_one_e_mail(moved):
    chief, _anna = decider(), author()
    channel = ChannelFactory()
    Content.objects.bulk_create(
        Content(site_id=channel.site_id, channel=channel, title=f"Title {n}", add_user_name="anna") for n in range(2000)
    )
    follow()
    numbers = list(Content.objects.values_list("pk", flat=True))
    with acting(chief):
        approval.approve_each([Seen(channel.site_id, number) for number in numbers], chief)
    with CaptureQueriesContext(connection) as statements:
        follow()
    assert len(statements) < 40
    assert Notification.objects.count() <= 4
    sent = mails(moved)
    assert [subject for _to, subject, _text in sent] == [
        "2000 content items wait for your approval",
        "2000 of your content items were approved",
    ]
    assert sent[1][2].count("- Title") == 20 and "- and 1980 more" in sent[1][2]


def test_several_nodes_tell_of_a_content_once():
    decider()
    create(ChannelFactory(), author())
    number_new()
    at_once("", *[outcome(notify_new)] * 3)
    assert told() == [("chief", "content.submitted", ["Lamps"])]


def test_changes_from_before_the_first_call_are_not_told():
    FollowedFeed.objects.all().delete()
    decider()
    content = create(ChannelFactory(), author())
    Event.objects.filter(subject_id=content.pk).update(at=clock.now() - timedelta(minutes=1))
    notify_new()
    follow()
    assert told() == []


def test_deciders_cost_the_same_whatever_their_number(django_assert_max_num_queries):
    content = ContentFactory()
    (group,) = administrator_with("contents.approve_content").groups.all()
    for _ in range(10):
        AdministratorFactory()
        AdministratorFactory(is_superuser=False).groups.add(group)
    with django_assert_max_num_queries(6):
        assert len(deciders_of([content])) == 21


def test_a_rank_is_told_as_the_rule_of_approval_decides():
    content = ContentFactory(channel=ChannelFactory(site=site_with(3)), checked_level=1)
    ranks = ["highest", "own site", "foreign site", "every level", "without a right", "1", "2"]
    people = {rank: approver(rank, content.site) for rank in ranks}
    told = deciders_of([content])
    expected = {rank for rank, user in people.items() if approval.within_reach(Content.objects.all(), user).exists()}
    assert (
        {rank for rank, user in people.items() if user.pk in told}
        == expected
        == {
            *("highest", "own site", "every level"),
            "2",
        }
    )


def test_words_are_in_the_language_of_the_reader():
    chief = decider()
    create(ChannelFactory(), author())
    follow()
    rows = list(Notification.objects.filter(administrator=chief))
    with override("zh-hans"):
        assert headline(rows) == "“Lamps”等待您审核"
