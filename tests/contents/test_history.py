"""The history of contents: every version that is kept can be told, whoever changed what in which order."""

from datetime import datetime, timedelta

import orjson
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from contents.models import Content, ContentBody, ContentChange
from contents.services.single import trash_content
from contents.services.undoing import revert_content
from contents.storing import history
from contents.storing.history import PreviousValues, oldest_version, record_changes, version_of
from core.lib.errors import ServiceError
from tests.contents.derived import assert_derived
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ContentFactory

pytestmark = pytest.mark.django_db


def put(api, content, /, **members):
    """Change it by the API."""
    answer = api.put(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}", members)
    assert answer.status_code == 200, answer.content
    return Content.objects.get(pk=content.pk)


def snapshot(content):
    """What a version is compared with: the members and the body as they are now."""
    present = Content.objects.get(pk=content.pk)
    body = ContentBody.objects.get(content=content).text
    return {name: getattr(present, name) for name in history.MEMBERS}, body


def test_every_version_is_told_as_it_was(api):
    content = ContentFactory(title="One", content="<p>1</p>", settings_xml='{"width":12}')
    seen = {1: snapshot(content)}
    changes = [
        {"title": "Two"},
        {"content": "<p>2</p>", "tags": "a,b"},
        {"title": "Three", "isTop": True, "width": 13, "lastEditDate": "2020-02-29 23:59:59"},
        {"content": "", "isChecked": True},
        {"title": "One", "content": "<p>1</p>", "depth": {"a": [1, None]}},
    ]
    for version, members in enumerate(changes, start=2):
        assert put(api, content, **members).version == version
        seen[version] = snapshot(content)
    present = Content.objects.get(pk=content.pk)
    assert {version: version_of(present, version) for version in seen} == seen


def test_versions_outside_of_the_history_are_unknown(api):
    content = put(api, ContentFactory(), title="Two")
    for version in (0, 3, 10**12):
        with pytest.raises(LookupError):
            version_of(content, version)


def test_dates_come_back_to_the_microsecond_and_of_any_year(api):
    odd = datetime(999, 1, 2, 3, 4, 5, 678901)
    content = ContentFactory()
    Content.objects.filter(pk=content.pk).update(add_date=odd)
    content = put(api, content, addDate="2026-01-01 00:00:00")
    assert version_of(content, 1)[0]["add_date"] == odd


def test_hits_alone_leave_no_trace(api):
    before = Content.objects.get(pk=ContentFactory(title="One", content="1", last_edit_user_name="anna").pk)
    # As a counter does that sends the whole record back.
    counted = {"hits": 7, "hitsByDay": 2, "lastHitsDate": "2026-01-01 00:00:00", "title": "One", "content": "1"}
    content = put(api, before, **counted)
    assert (content.hits, content.hits_by_day, content.last_hits_date) == (7, 2, datetime(2026, 1, 1))
    assert (content.version, list(content.changes.all())) == (before.version, [])
    assert content.last_edit_user_name == "anna"
    assert content.last_edit_date == before.last_edit_date


def test_hits_that_come_with_an_edit_are_not_among_what_it_overwrote(api):
    content = ContentFactory(title="One", hits=3, last_edit_user_name="anna", last_edit_date="2026-01-01 00:00:00")
    content = put(api, content, title="Two", hits=7, lastHitsDate="2026-01-01 00:00:00")
    assert content.hits == 7
    (change,) = content.changes.all()
    assert set(orjson.loads(change.before)) == {"title", "last_edit_user_name", "last_edit_date"}


def test_the_trash_raises_the_version_and_leaves_no_gap(api):
    content = put(api, ContentFactory(title="One"), title="Two")
    trash_content(content.site_id, content.channel_id, content.pk)
    restore_content(content.site_id, content.pk)
    content = put(api, content, title="Three")
    assert content.version == 5
    told = [version_of(content, version)[0]["title"] for version in (1, 2, 3, 4, 5)]
    assert told == ["One", "Two", "Two", "Two", "Three"]


def test_a_key_a_person_and_a_command_are_told_apart(api, client_with_key):
    owner = AdministratorFactory(user_name="olga")
    content = put(client_with_key(name="robot", administrator=owner), ContentFactory(), title="Two")
    with transaction.atomic():
        content.version += 1
        record_changes([(content, PreviousValues({"title": "Two"}))])
    by_key, by_command = content.changes.order_by("version")
    assert (by_key.actor_kind, by_key.actor_name, by_key.key_name) == ("key", "olga", "robot")
    assert by_command.actor_kind == "command"


def test_a_change_outside_of_a_transaction_is_refused(transactional_db):
    with pytest.raises(RuntimeError):
        record_changes([(ContentFactory(), PreviousValues({"title": "x"}))])


def test_a_version_is_told_rightly_while_the_content_is_saved_meanwhile(api):
    old = put(api, ContentFactory(title="One", content="1"), title="Two", content="2")
    put(api, old, title="Three", content="3")
    # `old` was read before the last change, its body is read after it.
    members, body = version_of(old, 1)
    assert (members["title"], body) == ("One", "1")
    members, body = version_of(old, 2)
    assert (members["title"], body) == ("Two", "2")


def test_a_version_that_is_purged_while_it_is_read_is_unknown(api, monkeypatch):
    content = put(api, put(api, ContentFactory(title="One"), title="Two"), title="Three")
    members_at = history.members_at

    def purged_meanwhile(*arguments):
        ContentChange.objects.filter(content=content, version=2).delete()
        return members_at(*arguments)

    monkeypatch.setattr(history, "members_at", purged_meanwhile)
    with pytest.raises(LookupError):
        version_of(content, 1)


def test_the_first_of_a_thousand_versions_costs_few_statements_and_one_body(api):
    content = ContentFactory(title="0", content="0")
    ContentChange.objects.bulk_create(
        ContentChange(
            content=content,
            site_id=content.site_id,
            version=version,
            actor_kind="command",
            before=f'{{"title":"{version - 1}"}}',
            body_before=str(version - 1),
        )
        for version in range(2, 1002)
    )
    Content.objects.filter(pk=content.pk).update(version=1001)
    content.refresh_from_db()
    with CaptureQueriesContext(connection) as queries:
        members, body = version_of(content, 1)
    assert (members["title"], body) == ("1", "1")
    assert len(queries) <= 5
    assert oldest_version(content) == 1


# ---- bringing a version back


def revert(content, version, seen=None):
    present = Content.objects.get(pk=content.pk)
    return revert_content(content.site_id, content.pk, version, seen or present.version, "rita")


def test_a_version_comes_back_as_one_more_change(api):
    content = ContentFactory(title="One", content="<p>1</p>", tags="old tag", group_name_collection="old group")
    put(api, content, title="Two", content="<p>2</p>", tags="", groupNameCollection="", width=3)
    site = content.site
    site.content_tags.all().delete()
    site.content_groups.all().delete()
    revert(content, 1)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.title, stored.tags, stored.group_name_collection) == ("One", "old tag", "old group")
    assert (stored.settings_xml, stored.body.text, stored.version) == ("{}", "<p>1</p>", 3)
    assert stored.last_edit_user_name == "rita"
    assert stored.changes.get(version=3).kind == ContentChange.Kind.REVERTED
    # Nothing is lost: the version before is there, too.
    members, body = version_of(stored, 2)
    assert (members["title"], body) == ("Two", "<p>2</p>")
    # Names that had gone are there again.
    assert site.content_tags.filter(tag_name="old tag").exists()
    assert_derived()


def test_a_version_comes_back_without_its_approval_and_its_place(api):
    content = ContentFactory(title="One")
    other = ContentFactory(channel__site=content.site).channel
    api.post(
        "/api/v1/contents/check",
        {
            "siteId": content.site_id,
            "contents": [{"channelId": content.channel_id, "id": content.pk}],
            "reasons": "fine",
        },
    )
    put(api, content, title="Two")
    Content.objects.filter(pk=content.pk).update(channel=other)
    revert(content, 1)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.title, stored.is_checked, stored.channel_id) == ("One", True, other.pk)
    assert '"check_reasons":"fine"' in stored.settings_xml


@pytest.mark.parametrize(
    ("version", "seen", "code"),
    [(1, 1, "changed_meanwhile"), (7, 2, "version_not_kept"), (2, 2, "nothing_to_revert")],
)
def test_what_cannot_come_back_is_refused_and_changes_nothing(api, version, seen, code):
    content = put(api, ContentFactory(title="One"), title="Two")
    before = snapshot(content)
    with pytest.raises(ServiceError) as refused:
        revert(content, version, seen)
    assert refused.value.code == code
    assert snapshot(content) == before
    assert content.changes.count() == 1


def test_what_is_in_the_trash_is_not_brought_back(api):
    content = put(api, ContentFactory(title="One"), title="Two")
    trash_content(content.site_id, content.channel_id, content.pk)
    with pytest.raises(ServiceError) as refused:
        revert(content, 1)
    assert refused.value.code == "content_not_found"


def test_an_older_time_of_a_later_change_confuses_no_version(api):
    content = put(api, put(api, ContentFactory(title="One"), title="Two"), title="Three")
    ContentChange.objects.filter(version=3).update(at=datetime.now() - timedelta(hours=1))
    assert version_of(content, 2)[0]["title"] == "Two"
