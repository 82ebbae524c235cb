"""`publishAt` and `unpublishAt`: setting them through the API, and what happens at their time."""

from datetime import datetime, timedelta

import orjson
import pytest
from django.conf import settings
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext

from contents import scheduling
from contents.models import Content, ContentChange, ContentDraft, ContentSchedule, CustomField
from contents.services import schedules, single
from contents.services.schedules import schedule_each
from contents.storing.locking import Seen, only
from core import audit
from core.audit import Actor
from core.audit.models import AuditEntry
from core.lib import clock
from pages.models import ContentsVersion
from tests.assertions import assert_error
from tests.contents.derived import assert_derived
from tests.contents.test_approval import approver
from tests.contents.threads import at_once, outcome
from tests.contents.trash import purge_content, restore_content
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db(transaction=True)
# The clock of the tests; they move it.
NOON = datetime(2026, 11, 27, 12)
HOUR = timedelta(hours=1)
NOTHING = {"publishAt": None, "unpublishAt": None, "scheduledBy": None, "failure": None}


@pytest.fixture(autouse=True)
def time(monkeypatch):
    """Sets the time of the day: `time(13)`."""

    class Moved(datetime):
        @classmethod
        def now(cls, zone=None):
            return cls.moment

    def move(hour, minute=0):
        Moved.moment = NOON.replace(hour=hour, minute=minute)

    move(12)
    monkeypatch.setattr(clock, "datetime", Moved)
    return move


def address(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def channel_address(channel):
    return f"/api/v1/contents/{channel.site_id}/{channel.pk}"


def scheduled(publish_at=NOON + HOUR, unpublish_at=None, **fields):
    """A content with a schedule of an administrator."""
    content = ContentFactory(**fields)
    ContentSchedule.objects.create(
        content=content,
        site_id=content.site_id,
        publish_at=publish_at,
        unpublish_at=unpublish_at,
        actor_kind="administrator",
        administrator_id=7,
        actor_name="ada",
    )
    return content


def is_public(content):
    return Content.objects.get(pk=content.pk).is_checked


def actions():
    return list(
        AuditEntry.objects.filter(action__startswith="content.").order_by("pk").values_list("action", flat=True)
    )


# ---- setting


def test_a_new_content_is_public_from_publish_at_to_unpublish_at(api, time):
    channel = ChannelFactory()
    body = {"title": "x", "publishAt": "2026-11-27 13:00:00", "UnpublishAt": "2026-11-27T14:00:00"}
    made = api.post(channel_address(channel), body).json()["value"]
    assert not made["isChecked"]
    assert "publishAt" not in made  # and no custom field
    content = Content.objects.get()
    shown = {"publishAt": "2026-11-27 13:00:00", "unpublishAt": "2026-11-27 14:00:00"}
    assert api.get(f"{address(content)}/schedule").json()["value"] == NOTHING | shown | {
        "scheduledBy": ApiKeyFactory._meta.model.objects.get().administrator.user_name
    }

    listed = f"/api/v1/contents/{channel.site_id}?top=5"
    assert scheduling.apply_due() == 0
    assert api.get(listed).json()["count"] == 0
    time(13)
    assert scheduling.apply_due() == 1
    assert api.get(listed).json()["count"] == 1
    time(14)
    assert scheduling.apply_due() == 1
    assert api.get(listed).json()["count"] == 0
    assert not ContentSchedule.objects.exists()
    assert_derived()
    assert actions() == ["content.scheduled", "content.published_by_schedule", "content.unpublished_by_schedule"]
    assert list(ContentChange.objects.order_by("pk").values_list("kind", "actor_kind")) == [
        ("approved", "key"),
        ("changed", "key"),
    ]


def test_a_past_publish_at_publishes_at_once(api):
    content = ContentFactory()
    assert api.put(address(content), {"publishAt": "2026-11-27 11:59:59"}).json()["value"]["isChecked"] is True
    assert not ContentSchedule.objects.exists()
    assert actions() == ["content.approved"]


@pytest.mark.parametrize(
    ("fields", "body", "code"),
    [
        ({}, {"unpublishAt": "2026-11-27 12:00:00"}, "invalid_schedule"),
        ({}, {"publishAt": "2026-11-27 13:00", "unpublishAt": "2026-11-27 13:00"}, "invalid_schedule"),
        ({"is_checked": True}, {"publishAt": "2026-11-27 13:00"}, "approved_already"),
        ({}, {"publishAt": "tomorrow"}, "invalid_value"),
    ],
)
def test_refuses_times_that_make_no_sense_and_stores_nothing(api, fields, body, code):
    content = ContentFactory(**fields)
    assert_error(api.put(address(content), {"title": "new"} | body), 400, code)
    path = f"{channel_address(content.channel)}/batch"
    new = {"title": "new", "isChecked": content.is_checked} | body
    assert_error(api.post(channel_address(content.channel), new), 400, code)
    answer = api.put(path, {"atomic": False, "contents": [{"id": content.pk, "title": "new"} | body]}).json()
    assert answer["results"][0]["error"]["code"] == code
    assert_error(api.post(path, {"contents": [new]}), 400, code)
    assert Content.objects.get().title == content.title
    assert not ContentSchedule.objects.exists()


def test_null_clears_one_time_and_delete_clears_both(api):
    content = scheduled(unpublish_at=NOON + 2 * HOUR)
    api.put(address(content), {"publishAt": None})
    shown = {"unpublishAt": "2026-11-27 14:00:00", "publishAt": None}
    assert api.get(f"{address(content)}/schedule").json()["value"].items() >= shown.items()
    assert api.delete(f"{address(content)}/schedule").json()["value"].items() >= shown.items()
    assert api.get(f"{address(content)}/schedule").json()["value"] == NOTHING
    assert api.delete(f"{address(content)}/schedule").json()["value"] == NOTHING
    assert actions() == ["content.scheduled", "content.unscheduled"]
    assert_error(api.get(f"{address(content)}0/schedule"), 404, "content_not_found")


def test_a_batch_schedules_each_content_that_it_accepts(api):
    channel = ChannelFactory()
    contents = [
        {"title": "a", "publishAt": "2026-11-27 13:00"},
        {"title": "", "publishAt": "2026-11-27 13:00"},
        {"title": "b"},
        {"title": "c", "publishAt": "2026-11-27 11:00"},
    ]
    results = api.post(f"{channel_address(channel)}/batch", {"atomic": False, "contents": contents}).json()["results"]
    assert [result["status"] for result in results] == [200, 400, 200, 200]
    assert [schedule.content.title for schedule in ContentSchedule.objects.select_related("content")] == ["a"]
    assert [content.title for content in Content.objects.filter(is_checked=True)] == ["c"]
    first = results[0]["content"]["id"]
    changed = [{"id": first, "publishAt": None}, {"id": results[2]["content"]["id"], "unpublishAt": "2027-01-01"}]
    api.put(f"{channel_address(channel)}/batch", {"contents": changed})
    assert [schedule.content.title for schedule in ContentSchedule.objects.select_related("content")] == ["b"]


def test_a_custom_field_of_that_name_stays_a_custom_field(api):
    content = ContentFactory()
    CustomField.objects.create(site_id=content.site_id, name="PublishAt", folded_name="publishat")
    record = api.put(address(content), {"publishAt": "2026-11-27 13:00"}).json()["value"]
    assert record["PublishAt"] == "2026-11-27 13:00"
    assert not ContentSchedule.objects.exists()


def test_a_repeated_request_with_an_idempotency_key_schedules_once(api):
    channel = ChannelFactory()
    body = {"title": "x", "publishAt": "2026-11-27 13:00"}
    ids = {
        api.post(channel_address(channel), body, headers={"Idempotency-Key": "k"}).json()["value"]["id"]
        for _turn in range(2)
    }
    assert len(ids) == ContentSchedule.objects.count() == 1


def test_lists_the_schedules_of_a_site_in_a_period(api):
    site = SiteFactory()
    channel = ChannelFactory(site=site)
    one = scheduled(channel=channel, unpublish_at=NOON + timedelta(days=30))
    two = scheduled(channel=channel, publish_at=NOON + timedelta(days=1, hours=5))
    scheduled(channel=channel, trashed_at=NOON)
    scheduled()
    path = f"/api/v1/contents/{site.pk}/schedules"
    whole = api.get(path).json()["value"]
    assert [row["id"] for row in whole] == [one.pk, two.pk]
    assert whole[0] == {
        "id": one.pk,
        "channelId": channel.pk,
        "title": one.title,
        "publishAt": "2026-11-27 13:00:00",
        "unpublishAt": "2026-12-27 12:00:00",
        "scheduledBy": "ada",
        "failure": None,
    }

    def ids(query):
        return [row["id"] for row in api.get(f"{path}?{query}").json()["value"]]

    assert ids("from=2026-11-28&to=2026-11-28") == [two.pk]
    assert ids("From=2026-12-01") == [one.pk]
    assert ids("to=2026-11-27 12:59:59") == []
    assert api.get(f"{path}?top=1").json()["count"] == 2
    assert_error(api.get(f"{path}?from=soon"), 400, "invalid_value")
    assert_error(api.get("/api/v1/contents/999999/schedules"), 404, "site_not_found")


# ---- rights


def test_a_key_needs_the_right_to_write_contents_and_the_site(client_with_key):
    content = scheduled()
    reader, other = (
        client_with_key(scopes="Contents:read"),
        client_with_key(scopes="Contents:write", site_ids=str(SiteFactory().pk)),
    )
    path = f"{address(content)}/schedule"
    assert reader.get(path).json()["value"]["publishAt"] == "2026-11-27 13:00:00"
    assert_error(reader.delete(path), 401)
    for method in (other.get, other.delete):
        assert_error(method(path), 401)
    assert_error(other.get(f"/api/v1/contents/{content.site_id}/schedules"), 401)
    assert_error(other.put(address(content), {"publishAt": None}), 401)
    assert ContentSchedule.objects.count() == 1


@pytest.mark.parametrize(
    ("rank", "code"),
    [
        ("highest", ""),
        ("own site", ""),
        ("every level", ""),
        (1, "level_beyond"),
        ("foreign site", "level_beyond"),
        ("without a right", "level_beyond"),
    ],
)
def test_an_administrator_needs_the_right_of_final_approval(rank, code):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    content = ContentFactory(channel=ChannelFactory(site=site))
    user, seen = approver(rank, site), [Seen(site.pk, content.pk)]
    act = outcome(lambda: only(schedule_each(seen, user, {"publish_at": NOON + HOUR})))
    assert act(None) == code
    assert ContentSchedule.objects.exists() == (not code)


def test_an_administrator_publishes_at_once_with_a_past_time():
    content = ContentFactory()
    schedule_each([Seen(content.site_id, content.pk)], AdministratorFactory(), {"publish_at": NOON - HOUR})
    assert is_public(content)
    assert not ContentSchedule.objects.exists()


# ---- decisions in between


def test_reasons_are_those_of_the_approval_at_its_time(time):
    content, user = ContentFactory(checked_level=0), AdministratorFactory(is_superuser=True)
    seen = [Seen(content.site_id, content.pk)]

    def schedule(name, hours, reasons="", actor=7):
        with audit.acting_as(Actor("administrator", administrator_id=actor, name="ada")):
            schedule_each(seen, user, {name: NOON + hours * HOUR}, reasons)
        return ContentSchedule.objects.get().reasons

    assert schedule("publish_at", 1, "Fine.") == "Fine."
    assert schedule("publish_at", 1, "Better.") == "Better."
    assert schedule("publish_at", 2) == "Better."
    assert schedule("unpublish_at", 3, actor=8) == ""
    schedule("publish_at", 2, "Best.")
    time(14)
    scheduling.apply_due()
    assert ContentChange.objects.get(content=content.pk, kind=ContentChange.Kind.APPROVED).reasons == "Best."
    assert orjson.loads(Content.objects.get(pk=content.pk).settings_xml)["check_reasons"] == "Best."
    assert ContentSchedule.objects.get().reasons == ""


def test_a_decision_before_its_time_overtakes_publish_at(api, time):
    approved, rejected, withdrawn = scheduled(unpublish_at=NOON + 2 * HOUR), scheduled(), scheduled()
    for content, members in (
        (approved, {"isChecked": True}),
        (rejected, {"checkedLevel": -1}),
        (withdrawn, {"isChecked": True}),
        (withdrawn, {"isChecked": False}),
    ):
        api.put(address(content), members)
    assert list(ContentSchedule.objects.values_list("pk", "publish_at")) == [(approved.pk, None)]
    changes = ContentChange.objects.count()
    time(13)
    assert scheduling.apply_due() == 0
    assert ContentChange.objects.count() == changes
    assert [is_public(each) for each in (approved, rejected, withdrawn)] == [True, False, False]


def test_a_content_that_is_already_withdrawn_only_loses_its_schedule(time):
    scheduled(publish_at=None, unpublish_at=NOON + HOUR)
    time(13)
    assert scheduling.apply_due() == 1
    assert not ContentSchedule.objects.exists()
    assert not ContentChange.objects.exists()
    assert actions() == []


# ---- the trash


def test_a_content_in_the_trash_is_not_published_but_withdrawn(time):
    waiting = scheduled(unpublish_at=NOON + 5 * HOUR)
    public = scheduled(publish_at=None, unpublish_at=NOON + HOUR, is_checked=True)
    for content in (waiting, public):
        single.trash_content(content.site_id, content.channel_id, content.pk)
    time(13)
    assert scheduling.apply_due() == 2
    for content in (waiting, public):
        restore_content(content.site_id, content.pk)
        assert not is_public(content)
    assert list(ContentSchedule.objects.values_list("pk", "publish_at")) == [(waiting.pk, None)]
    assert set(actions()) >= {"content.schedule_skipped", "content.unpublished_by_schedule"}
    assert_derived()


def test_a_restored_content_is_published_at_its_time(time):
    content = scheduled()
    single.trash_content(content.site_id, content.channel_id, content.pk)
    restore_content(content.site_id, content.pk)
    time(13)
    assert scheduling.apply_due() == 1
    assert is_public(content)


def test_a_purged_content_takes_its_schedule_with_it():
    content = scheduled(trashed_at=NOON)
    purge_content(content.site_id, content.pk)
    assert not ContentSchedule.objects.exists()


# ---- faults and races


def test_after_a_downtime_all_is_done_in_batches_but_nothing_is_published_after_its_end(time, monkeypatch):
    monkeypatch.setattr(scheduling, "BATCH", 3)
    site = SiteFactory()
    channels = [ChannelFactory(site=site), ChannelFactory()]
    contents = [scheduled(channel=channels[number % 2]) for number in range(14)]
    over = scheduled(channel=channels[0], unpublish_at=NOON + 2 * HOUR)
    time(20)
    assert scheduling.apply_due() == 15
    assert all(map(is_public, contents))
    assert not is_public(over)
    assert not ContentSchedule.objects.exists()
    assert actions().count("content.published_by_schedule") == 14
    assert actions().count("content.schedule_skipped") == 1
    assert not over.changes.exists()
    assert_derived()


def test_nodes_that_call_it_at_once_publish_each_content_once(time):
    contents = [scheduled() for _number in range(20)]
    time(13)
    results = at_once(None, *[lambda _client: scheduling.apply_due()] * 4)
    # Each call skips the rows that another has locked.
    results.append(scheduling.apply_due())
    assert sum(results) == 20
    assert actions() == ["content.published_by_schedule"] * 20
    assert set(Content.objects.values_list("version", flat=True)) == {2}
    assert ContentChange.objects.count() == len(contents)


@pytest.mark.skipif("postgresql" not in settings.DATABASES["default"]["ENGINE"], reason="SQLite has one writer")
def test_a_content_that_another_transaction_has_locked_follows_later(time):
    locked, free = scheduled(), scheduled()
    time(13)
    with transaction.atomic():
        Content.objects.select_for_update().get(pk=locked.pk)
        assert at_once(None, lambda _client: scheduling.apply_due()) == [1]
        assert is_public(free)
    assert scheduling.apply_due() == 1
    assert is_public(locked)


def test_a_crash_before_the_commit_leaves_the_content_due(time, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*arguments):
        raise Killed

    content = scheduled()
    time(13)
    with monkeypatch.context() as patch:
        patch.setattr(schedules, "record_contents_action", die)  # the last step
        with pytest.raises(Killed):
            scheduling.apply_due()
    assert not is_public(content)
    assert scheduling.apply_due() == 1
    assert is_public(content)
    assert ContentChange.objects.count() == 1


def test_a_content_that_fails_is_marked_and_keeps_back_no_other(time, monkeypatch, caplog, api):
    bad, good = scheduled(), scheduled()
    bad_ids = {bad.pk}
    store = schedules.store_decisions

    def store_or_fail(decided, *arguments):
        if bad_ids & {content.pk for content, _state in decided}:
            raise DataError("value too long: secret")
        store(decided, *arguments)

    monkeypatch.setattr(schedules, "store_decisions", store_or_fail)
    time(13)
    assert scheduling.apply_due() == 1
    assert is_public(good)
    assert str(bad.pk) in caplog.text
    assert scheduling.apply_due() == 0  # not again and again
    assert api.get(f"{address(bad)}/schedule").json()["value"]["failure"] == "DataError"
    assert "content.schedule_failed" in actions()
    bad_ids.clear()
    api.put(address(bad), {"publishAt": "2026-11-27 13:30"})
    time(13, 30)
    assert scheduling.apply_due() == 1
    assert is_public(bad)


def test_one_statement_is_enough_while_nothing_is_due():
    scheduled()
    with CaptureQueriesContext(connection) as found:
        scheduling.apply_due()
    assert len(found) == 1


def test_pages_of_the_site_change_with_it(time):
    content = scheduled()

    def number():
        return ContentsVersion.objects.filter(site_id=content.site_id).values_list("number", flat=True).first()

    before = number()
    time(13)
    scheduling.apply_due()
    assert number() != before


# ---- of drafts


def drafted(api, **members):
    """A public content with a draft from the interface."""
    content = ContentFactory(is_checked=True, title="Old")
    response = api.put(address(content), {"isDraft": True, "title": "New"} | members)
    assert response.status_code == 200, response.content
    return content


def title_of(content):
    return Content.objects.get(pk=content.pk).title


def test_a_draft_is_published_at_its_time(api, time):
    content = drafted(api, publishAt="2026-11-27 13:00:00")
    scheduling.apply_due()
    assert (title_of(content), is_public(content)) == ("Old", True)
    time(13)
    assert scheduling.apply_due() == 1
    assert (title_of(content), is_public(content)) == ("New", True)
    assert not ContentDraft.objects.exists()
    assert not ContentSchedule.objects.exists()
    assert {"content.draft_published", "content.published_by_schedule"} <= set(actions())
    assert_derived()


def test_an_administrator_schedules_a_draft_but_no_public_content_without_one(api, time):
    content, other = drafted(api), ContentFactory(is_checked=True)
    user = AdministratorFactory(is_superuser=True)
    seen = [Seen(each.site_id, each.pk) for each in (content, other)]
    planned, refused = schedule_each(seen, user, {"publish_at": NOON + HOUR})
    assert (planned.pk, refused.code) == (content.pk, "approved_already")
    time(13)
    scheduling.apply_due()
    assert title_of(content) == "New"


@pytest.mark.parametrize("query", ["?version=draft", ""], ids=["discarded", "trashed"])
def test_without_the_draft_there_is_nothing_to_publish(api, time, query):
    content = drafted(api, publishAt="2026-11-27 13:00:00")
    assert api.delete(address(content) + query).status_code == 200
    time(13)
    scheduling.apply_due()
    assert title_of(content) == "Old"
    assert not ContentSchedule.objects.exists()


def test_publishing_the_draft_earlier_ends_its_schedule_but_not_the_withdrawal(api):
    content = drafted(api, publishAt="2026-11-27 13:00:00", unpublishAt="2026-11-27 14:00:00")
    assert api.put(address(content), {"isDraft": True, "isChecked": True}).status_code == 200
    schedule = ContentSchedule.objects.get()
    assert (schedule.publish_at, schedule.unpublish_at) == (None, NOON + 2 * HOUR)


def test_a_draft_in_conflict_is_not_published_and_the_schedule_says_why(api, time):
    content = drafted(api, publishAt="2026-11-27 13:00:00")
    api.put(address(content), {"title": "Newer"})
    other = drafted(api, publishAt="2026-11-27 13:00:00")
    time(13)
    scheduling.apply_due()
    assert (title_of(content), title_of(other)) == ("Newer", "New")
    assert "others have changed title" in ContentSchedule.objects.get().failure
    assert ContentDraft.objects.get().content_id == content.pk
