"""Each change writes one event in its transaction, whoever makes it."""

import re
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F

from accounts.models import User
from channels_app.models import Channel
from channels_app.services import move_channel
from contents.models import Content, ContentBody
from core.lib import clock
from events.expressions import EXPRESSIONS
from events.models import Event
from events.numbering import number_new
from forms.models import Entry, Form
from forms.retention import delete_old
from forms.services import delete_form
from media_library.models import MediaFile
from sites.models import Site
from tests.events.recording import forget, recorded
from tests.factories import ChannelFactory, ContentFactory, SiteFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def content():
    made = ContentFactory(title="Tide", content="old")
    forget()
    return made


def address(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def test_a_creation_with_its_body_is_one_event(api):
    channel = ChannelFactory()
    forget()
    response = api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "Tide", "content": "text"})
    event = Event.objects.get()
    assert (event.name, event.subject_id, event.version) == ("content.created", response.json()["value"]["id"], 1)
    assert (event.site_id, event.channel_id, event.fields) == (channel.site_id, channel.pk, "[]")
    assert abs(event.at - clock.now()) < timedelta(minutes=5)


def test_a_change_of_body_and_title_is_one_event(api, content):
    api.put(address(content), {"title": "Ebb", "content": "new", "author": ""})
    [(name, subject, fields)] = recorded()
    assert (name, subject) == ("content.changed", content.pk)
    assert fields == sorted(fields) and {"content", "title"} <= set(fields)
    assert Event.objects.get().version == content.version + 1


def test_a_change_of_the_body_alone_is_one_event(api, content):
    Content.objects.update(last_edit_user_name=api_user(api), last_edit_date=clock.now() + timedelta(days=1))
    forget()
    api.put(address(content), {"content": "new", "lastEditDate": "2026-01-01 00:00:00"})
    [(name, _, fields)] = recorded()
    assert name == "content.changed" and "content" in fields
    assert Event.objects.get().version == Content.objects.get().version


def api_user(api):
    return api.get("/api/v1/administrators").json()["value"][0]["userName"]


def test_a_body_changed_by_sql_is_an_event_and_an_equal_one_is_not(content):
    ContentBody.objects.update(text="old")
    assert recorded() == []
    ContentBody.objects.update(text="new")
    assert recorded() == [("content.changed", content.pk, ["content"])]


def test_an_event_that_is_numbered_stays_when_the_content_changes_afterwards(content):
    ContentBody.objects.update(text="new")
    number_new()
    Content.objects.update(title="Ebb", version=F("version") + 1)
    assert recorded() == [("content.changed", content.pk, ["content"]), ("content.changed", content.pk, ["title"])]


def test_a_body_stored_after_its_content_is_an_event():
    made = Content.objects.create(channel=(channel := ChannelFactory()), site=channel.site, title="Tide")
    number_new()
    forget()
    ContentBody.objects.create(content=made, text="late")
    assert recorded() == [("content.changed", made.pk, ["content"])]


@pytest.mark.parametrize(
    "before,after,name",
    [
        ({}, {"is_checked": True, "title": "Ebb"}, "content.published"),
        ({"is_checked": True}, {"is_checked": False}, "content.unpublished"),
        ({}, {"trashed_at": "2026-01-01 00:00:00"}, "content.trashed"),
        ({"trashed_at": "2026-01-01 00:00:00"}, {"trashed_at": None}, "content.restored"),
        ({"trashed_at": "2026-01-01 00:00:00"}, {"title": "Ebb"}, None),
        ({}, {"hits": 7, "hits_by_day": 7, "last_hits_date": "2026-01-01 00:00:00"}, None),
        ({}, {"version": 9}, None),
    ],
)
def test_the_most_telling_name_is_chosen(content, before, after, name):
    Content.objects.update(**before)
    forget()
    Content.objects.update(**after)
    assert [event[0] for event in recorded()] == ([name] if name else [])


def test_published_beats_moved_and_all_members_are_listed(content):
    other = ChannelFactory(site=content.site)
    forget()
    Content.objects.update(channel=other, title="Ebb", settings_xml='{"a": 1}')
    assert recorded() == [("content.moved", content.pk, ["channelId", "settingsXml", "title"])]
    assert Event.objects.get().channel_id == other.pk
    forget()
    Content.objects.update(channel=content.channel, is_checked=True)
    assert recorded() == [("content.published", content.pk, ["channelId", "isChecked"])]


def test_a_bulk_change_is_an_event_of_each_content_and_a_rollback_of_none():
    channel = ChannelFactory()
    numbers = [ContentFactory(channel=channel).pk for _ in range(3)]
    forget()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        Content.objects.update(is_top=True)
        _ = 1 / 0
    assert recorded() == []
    Content.objects.update(is_top=True)
    assert recorded() == [("content.changed", number, ["isTop"]) for number in numbers]


def test_a_purge_is_a_deletion(content):
    ContentBody.objects.all().delete()
    Content.objects.all().delete()
    assert recorded() == [("content.deleted", content.pk, [])]


def test_a_new_site_creates_its_home_channel_in_the_site():
    site = SiteFactory()
    names = Event.objects.order_by("id").values_list("name", "subject_id", "site_id")
    assert sorted(names) == [("channel.created", site.pk, site.pk), ("site.created", site.pk, site.pk)]


def test_a_new_channel_is_the_only_one_with_an_event(api):
    first = ChannelFactory()
    ChannelFactory(site=first.site)
    forget()
    response = api.post(f"/api/v1/channels/{first.site_id}", {"parentId": first.pk, "channelName": "Between"})
    assert recorded() == [("channel.created", response.json()["value"]["id"], [])]


def test_a_changed_channel_names_members_and_settings(api):
    channel = ChannelFactory()
    forget()
    api.put(f"/api/v1/channels/{channel.site_id}/{channel.pk}", {"channelName": "News", "isContentAddable": False})
    assert recorded() == [("channel.changed", channel.pk, ["channelName", "settings"])]


def test_only_the_moved_channel_has_an_event():
    site = SiteFactory()
    first, second, third = (ChannelFactory(site=site) for _ in range(3))
    below = ChannelFactory(parent=third)
    forget()
    move_channel(site.pk, third.pk, None, first.pk)
    assert recorded() == [("channel.moved", third.pk, ["taxis"])]
    forget()
    move_channel(site.pk, third.pk, second.pk, None)
    assert [(name, subject) for name, subject, _ in recorded()] == [("channel.moved", third.pk)]
    assert "parentId" in recorded()[0][2]
    assert Channel.objects.get(pk=below.pk).version == below.version


def test_a_trashed_channel_takes_all_below_along(api):
    channel = ChannelFactory()
    below = ChannelFactory(parent=channel)
    content = ContentFactory(channel=below)
    ChannelFactory(site=channel.site)
    forget()
    api.delete(f"/api/v1/channels/{channel.site_id}/{channel.pk}")
    assert recorded() == [
        ("content.trashed", content.pk, []),
        ("channel.trashed", channel.pk, []),
        ("channel.trashed", below.pk, []),
    ]
    forget()
    Channel.objects.filter(pk=below.pk).update(trashed_at=None)
    assert [event[:2] for event in recorded()] == [("channel.restored", below.pk)]


def test_a_site_names_members_but_not_its_address():
    site = SiteFactory()
    forget()
    site.site_name, site.settings = "Museum", {"isCheckContentLevel": True}
    site.save()
    assert recorded() == [("site.changed", site.pk, ["attributes", "siteName"])]
    forget()
    Site.objects.update(web_url="/elsewhere")
    assert recorded() == [("site.changed", site.pk, [])]


def test_a_user_has_no_event_of_sign_ins_and_none_with_its_password():
    user = UserFactory()
    assert recorded() == [("user.created", user.pk, [])]
    forget()
    User.objects.update(last_activity_date=clock.now(), count_of_login=4, count_of_failed_login=2, password="other")
    assert recorded() == []
    User.objects.update(email="a@example.org", avatar_file="a.png", avatar_url="/a.png")
    assert recorded() == [("user.changed", user.pk, ["avatarUrl", "email"])]
    User.objects.all().delete()
    assert recorded()[1:] == [("user.deleted", user.pk, [])]
    assert set(Event.objects.values_list("site_id", flat=True)) == {None}


@pytest.fixture
def file():
    made = MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)
    assert recorded()[-1] == ("media.created", made.pk, [])
    forget()
    return made


def test_a_file_names_members(file):
    MediaFile.objects.update(bytes=2, sha256="0" * 64, focal_x=0.5, focal_y=0.1, alternative_text="Ships")
    assert recorded() == [("media.changed", file.pk, ["alternativeText", "focalPoint", "sha256", "size"])]
    assert Event.objects.get().site_id == file.site_id
    forget()
    MediaFile.objects.update(version=9, uploaded_with_key="Import", bytes=2)
    assert recorded() == []


TRASHED, LOST = {"trashed_at": "2026-01-01 00:00:00"}, {"missing_since": "2026-01-01 00:00:00"}
BACK = {"trashed_at": None, "missing_since": None}


@pytest.mark.parametrize(
    "before,after,name",
    [
        ({}, TRASHED | {"title": "Ships"}, "deleted"),
        ({}, LOST, "deleted"),
        (TRASHED, BACK | {"bytes": 2}, "created"),
        (LOST, BACK, "created"),
        (TRASHED, LOST, None),
        (TRASHED, {"title": "Ships"}, None),
    ],
)
def test_a_file_exists_while_it_is_listed(file, before, after, name):
    MediaFile.objects.update(**before)
    forget()
    MediaFile.objects.update(**after)
    assert recorded() == ([(f"media.{name}", file.pk, [])] if name else [])


@pytest.mark.parametrize("before,number", [({}, 1), (TRASHED, 0), (LOST, 0)])
def test_a_removed_row_is_a_deletion_if_the_file_was_listed(file, before, number):
    MediaFile.objects.update(**before)
    forget()
    MediaFile.objects.all().delete()
    assert recorded() == [("media.deleted", file.pk, [])] * number


@pytest.mark.parametrize("state", [TRASHED, LOST])
def test_a_new_row_of_no_listed_file_has_no_event(state):
    site = SiteFactory()
    forget()
    MediaFile.objects.create(site=site, path="upload/a.jpg", kind="image", bytes=1, **state)
    assert recorded() == []


def test_many_new_files_have_an_event_each_and_known_ones_none(file):
    rows = [MediaFile(site=file.site, path=f"upload/{name}.jpg", kind="image", bytes=1) for name in "abc"]
    MediaFile.objects.bulk_create(rows, ignore_conflicts=True)
    new = MediaFile.objects.exclude(pk=file.pk).order_by("pk").values_list("pk", flat=True)
    assert recorded() == [("media.created", pk, []) for pk in new]


def test_listed_files_go_and_come_back_with_their_site(file):
    MediaFile.objects.create(site=file.site, path="upload/b.jpg", kind="image", bytes=1, **TRASHED)
    MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)
    forget()
    Site.objects.filter(pk=file.site_id).update(**TRASHED)
    assert sorted(recorded()) == [("media.deleted", file.pk, []), ("site.trashed", file.site_id, [])]
    forget()
    MediaFile.objects.filter(pk=file.pk).update(title="Ships")
    MediaFile.objects.create(site=file.site, path="upload/c.jpg", kind="image", bytes=1).delete()
    assert recorded() == []
    Site.with_trash.filter(pk=file.site_id).update(trashed_at=None)
    assert sorted(recorded()) == [("media.created", file.pk, []), ("site.restored", file.site_id, [])]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_a_body_is_not_merged_into_an_event_of_another_transaction(content):
    ContentBody.objects.update(text="new")
    Content.objects.update(title="Ebb", version=F("version") + 1)
    assert recorded() == [("content.changed", content.pk, ["content"]), ("content.changed", content.pk, ["title"])]
    forget()
    with transaction.atomic():
        with transaction.atomic():
            ContentBody.objects.update(text="newer")
        Content.objects.update(title="Tide", version=F("version") + 1)
    assert recorded() == [("content.changed", content.pk, ["content", "title"])]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan of SQLite")
def test_a_body_is_stored_without_reading_the_events_of_others():
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'events_body_added'")
        (inner,) = re.findall(r"NOT EXISTS \(\s*(.*)\);", cursor.fetchone()[0])
        cursor.execute("EXPLAIN QUERY PLAN " + inner.replace("NEW.content_id", "1"))
        assert "event_not_numbered" in cursor.fetchone()[-1]


@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_a_change_does_not_read_the_events_of_other_contents_that_have_no_number(content):
    """Otherwise the time of a change of many contents grows with the square of their number."""
    condition = EXPRESSIONS["event_of_body"]("NEW").replace("NEW.id", "1").replace("OLD.version", "1")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN DELETE FROM events_event WHERE {condition}")
        assert "event_not_numbered" in str(cursor.fetchall())


# ---- entries of forms


@pytest.fixture
def form():
    made = Form.objects.create(site=SiteFactory(), name="Visit", keep_days=10)
    forget()
    return made


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"digest": "x"}, "form.submitted"),
        ({"source": "import"}, "form.entry_changed"),
        ({"digest": "x", "state": "spam"}, None),
    ],
    ids=["sent", "imported", "spam"],
)
def test_a_sent_entry_is_an_event_unless_it_is_spam(form, members, name):
    entry = Entry.objects.create(form=form, **members)
    assert recorded() == ([(name, entry.pk, [])] if name else [])


@pytest.mark.parametrize(
    ("before", "after", "name", "fields"),
    [
        ({}, {"state": "read"}, "entry_changed", ["state"]),
        (
            {},
            {"state": "read", "reply": "Yes", "values": {"1": "a"}},
            "entry_changed",
            ["replyContent", "state", "values"],
        ),
        ({"state": "spam"}, {"state": "new"}, "submitted", []),
        ({}, {"state": "spam"}, "entry_deleted", []),
        ({"state": "spam"}, {"reply": "Yes"}, None, []),
        ({"digest": "x"}, {"digest": "", "spam_at": None}, None, []),
        ({"values": {"1": "a"}}, {"values": {"1": "a"}, "state": "new", "reply": ""}, None, []),
    ],
)
def test_an_entry_that_changes_is_an_event_and_spam_is_gone(form, before, after, name, fields):
    entry = Entry.objects.create(form=form, **before)
    forget()
    Entry.objects.update(**after)
    assert recorded() == ([(f"form.{name}", entry.pk, fields)] if name else [])


def test_a_deleted_entry_is_an_event_however_it_goes(form, django_assert_max_num_queries):
    old = clock.now() - timedelta(days=20)
    entries = Entry.objects.bulk_create(Entry(form=form, created_at=old) for _ in range(30))
    Entry.objects.create(form=form, state="spam", spam_at=old - timedelta(days=20))
    forget()
    with django_assert_max_num_queries(21):
        delete_old()
    assert sorted(recorded()) == [("form.entry_deleted", entry.pk, []) for entry in entries]
    last = Entry.objects.create(form=form)
    forget()
    delete_form(form)
    assert recorded() == [("form.entry_deleted", last.pk, [])]
    assert Event.objects.get().site_id == form.site_id
