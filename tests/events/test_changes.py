"""GET /changes: each committed change after a cursor, of what the key may read."""

import pytest

from accounts.models import User
from contents.models import Content
from events.models import Event, Numbering
from events.numbering import number_new
from forms.models import Entry, Form
from media_library.models import MediaFile
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory, UserFactory

pytestmark = pytest.mark.django_db
PATH = "/api/v1/changes"


def changes_since(client, cursor, query=""):
    """Follow the changes to their end; return them and the last cursor."""
    found, has_more = [], True
    while has_more:
        answer = client.get(f"{PATH}?after={cursor}{query}")
        assert answer.status_code == 200, answer.content
        body = answer.json()
        found += body["changes"]
        cursor, has_more = body["nextCursor"], body["hasMore"]
    return found, cursor


def now(client):
    body = client.get(PATH).json()
    assert (body["changes"], body["hasMore"]) == ([], False)
    return body["nextCursor"]


def test_the_whole_answer(api):
    channel = ChannelFactory()
    cursor = now(api)
    made = api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "Tide"}).json()["value"]
    body = api.get(f"{PATH}?after={cursor}").json()
    [change] = body["changes"]
    assert change.pop("at")[:2] == "20"
    assert body == {"changes": [change], "nextCursor": str(change["id"]), "hasMore": False}
    assert change == {
        "id": Event.objects.order_by("-id").first().position,
        "event": "content.created",
        "siteId": channel.site_id,
        "channelId": channel.pk,
        "contentId": made["id"],
        "userId": None,
        "mediaId": None,
        "formId": None,
        "entryId": None,
        "version": 1,
        "fields": [],
        "isDeleted": False,
    }
    assert changes_since(api, body["nextCursor"]) == ([], body["nextCursor"])


def test_a_deleted_record_leaves_a_tombstone(api):
    content = ContentFactory()
    cursor = now(api)
    api.delete(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}")
    [change], _ = changes_since(api, cursor)
    assert (change["event"], change["contentId"], change["isDeleted"]) == ("content.trashed", content.pk, True)


def test_channels_sites_and_users_have_their_ids(api):
    cursor = now(api)
    site, user = SiteFactory(), UserFactory()
    found = {
        change["event"]: (change["siteId"], change["channelId"], change["userId"])
        for change in changes_since(api, cursor)[0]
    }
    assert found == {
        "channel.created": (site.pk, site.pk, None),
        "site.created": (site.pk, None, None),
        "user.created": (None, None, user.pk),
    }


def test_a_deleted_file_has_its_id(api):
    file = MediaFile.objects.create(site=SiteFactory(), path="upload/a.jpg", kind="image", bytes=1)
    cursor = now(api)
    MediaFile.objects.filter(pk=file.pk).update(trashed_at="2026-01-01 00:00:00")
    [change], _ = changes_since(api, cursor)
    del change["at"], change["id"]
    assert change == {
        "event": "media.deleted",
        "siteId": file.site_id,
        "channelId": None,
        "contentId": None,
        "userId": None,
        "mediaId": file.pk,
        "formId": None,
        "entryId": None,
        "version": None,
        "fields": [],
        "isDeleted": True,
    }


def test_an_entry_of_a_form_has_its_ids_and_no_values(api):
    form = Form.objects.create(site=SiteFactory(), name="Visit")
    cursor = now(api)
    entry = Entry.objects.create(form=form, values={"1": "Ann"}, channel_id=3, digest="x")
    [change], cursor = changes_since(api, cursor)
    del change["at"], change["id"]
    assert change == {
        "event": "form.submitted",
        "siteId": form.site_id,
        "channelId": 3,
        "contentId": None,
        "userId": None,
        "mediaId": None,
        "formId": form.pk,
        "entryId": entry.pk,
        "version": None,
        "fields": [],
        "isDeleted": False,
    }
    entry.delete()
    [change], _ = changes_since(api, cursor)
    assert (change["event"], change["isDeleted"]) == ("form.entry_deleted", True)


@pytest.mark.parametrize(
    "scopes,subjects",
    [
        ("Contents:read", {"content"}),
        ("Channels:read,STL", {"channel", "site"}),
        ("Users:read,System", {"user"}),
        ("Media:read,SQL", {"media"}),
        ("Forms:read", {"form"}),
    ],
)
def test_a_key_sees_the_subjects_of_its_scopes(client_with_key, scopes, subjects):
    client = client_with_key(scopes=scopes)
    cursor = now(client)
    content = ContentFactory()
    UserFactory()
    MediaFile.objects.create(site=content.site, path="upload/a.jpg", kind="image", bytes=1)
    Entry.objects.create(form=Form.objects.create(site=content.site, name="Visit"), digest="x")
    found, after = changes_since(client, cursor)
    assert {change["event"].partition(".")[0] for change in found} == subjects
    assert int(after) == Numbering.objects.get().last_position


def test_a_key_sees_its_sites_only_and_its_cursor_passes_the_others(client_with_key, api):
    own, other = ContentFactory(), ContentFactory()
    client = client_with_key(scopes="Contents,Channels,STL", site_ids=str(own.site_id))
    cursor = now(client)
    Content.objects.filter(pk=own.pk).update(title="Own")
    Content.objects.filter(pk=other.pk).update(title="Other")
    UserFactory()
    found, after = changes_since(client, cursor)
    assert [change["contentId"] for change in found] == [own.pk]
    assert int(after) == Numbering.objects.get().last_position
    assert changes_since(client, after) == ([], after)
    assert_error(client.get(f"{PATH}?siteId={other.site_id}"), 401, "site_not_allowed")
    assert [c["contentId"] for c in changes_since(api, cursor, f"&SITEID={other.site_id}")[0]] == [other.pk]


def test_a_key_without_a_fitting_scope_is_refused(client_with_key, stranger):
    assert_error(client_with_key(scopes="Administrators,SQL,System").get(PATH), 401, "scope_missing")
    assert_error(stranger.get(PATH), 401, "key_missing")


def test_pages_join_without_gaps_or_repetitions(api, monkeypatch):
    monkeypatch.setattr("events.feed._WINDOW", 3)
    channel = ChannelFactory()
    cursor = now(api)
    numbers = [ContentFactory(channel=channel).pk for _ in range(5)]
    User.objects.create(user_name="between", password="!")
    found, _ = changes_since(api, cursor, "&limit=2")
    assert [change["contentId"] for change in found if change["event"] == "content.created"] == numbers
    ids = [change["id"] for change in found]
    assert ids == sorted(set(ids))


def test_start_is_the_oldest_stored_change(api):
    ContentFactory()
    number_new()
    oldest = Event.objects.order_by("position").first()
    found, _ = changes_since(api, "start", "&limit=1000")
    assert found[0]["id"] == oldest.position


def test_a_cursor_before_deleted_events_or_from_another_database_has_expired(api):
    ContentFactory()
    cursor = now(api)
    ContentFactory()
    last = now(api)
    Numbering.objects.update(deleted_position=int(cursor) + 1)
    body = assert_error(api.get(f"{PATH}?after={cursor}"), 400, "cursor_expired")
    assert body["member"] == "after"
    assert_error(api.get(f"{PATH}?after={int(last) + 1}"), 400, "cursor_expired")
    assert changes_since(api, last) == ([], last)


@pytest.mark.parametrize(
    "query,code",
    [
        ("after=yesterday", "invalid_cursor"),
        ("after=-5", "invalid_cursor"),
        ("after=" + "9" * 30, "invalid_cursor"),
        ("wait=31", "invalid_value"),
        ("wait=soon", "invalid_value"),
        ("limit=0", "invalid_value"),
        ("limit=1001", "invalid_value"),
        ("siteId=-1", "invalid_value"),
        ("after=start&AFTER=start", "duplicate_member"),
    ],
)
def test_bad_parameters_are_refused(api, query, code):
    assert_error(api.get(f"{PATH}?{query}"), 400, code)


def test_a_server_that_cannot_wait_answers_at_once(api):
    cursor = now(api)
    assert api.get(f"{PATH}?after={cursor}&wait=30").json()["changes"] == []
