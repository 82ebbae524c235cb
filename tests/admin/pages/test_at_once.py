"""Acts of several administrators at the same moment."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client

from accounts import administrator_services
from accounts.administrator_services import RoleAssignment
from accounts.models import Administrator
from channels_app.models import Channel
from channels_app.services import restore_channel, trash_channel
from contents.models import Content
from contents.services import trash
from contents.services.single import trash_content
from contents.storing.locking import Seen
from core.admin.ranks import Rank
from core.lib import clock
from tests.admin.pages.browsing import act, told
from tests.contents.derived import assert_derived
from tests.contents.threads import at_once, outcome
from tests.contents.trash import purge_content, restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_who_demote_each_other_leave_one_of_the_highest_rank():
    for _ in range(5):
        Administrator.objects.all().delete()
        one, two = AdministratorFactory(), AdministratorFactory()
        plain = RoleAssignment(Rank.ORDINARY)
        found = at_once(
            "",
            outcome(administrator_services.change, one.pk, {}, plain, by=two.pk),
            outcome(administrator_services.change, two.pk, {}, plain, by=one.pk),
        )
        assert sorted(found) == ["", "last_administrator"]
        assert Administrator.objects.filter(is_superuser=True).count() == 1


def acting(page, name, records):
    """The act on the records for a thread, by a browser of somebody of the highest rank."""
    browser = Client()
    browser.force_login(AdministratorFactory())
    return lambda _client: told(act(browser, page, name, *records))


BATCHES = {
    "channels and channels": (ChannelFactory, ChannelFactory),
    "contents and channels": (ContentFactory, ChannelFactory),
}
PAGES = {ChannelFactory: "channels_app_channel", ContentFactory: "contents_content"}


@pytest.mark.parametrize("factories", BATCHES.values(), ids=BATCHES)
def test_two_who_act_on_records_of_the_same_two_sites_wait_for_each_other_in_turn(factories):
    for _ in range(3):
        channels = [ChannelFactory(), ChannelFactory()]
        batches = ([], [])
        # By number the one goes from the first site to the second and back, the other the other way round.
        for site in (0, 1, 0, 1):
            for batch, factory, turned in zip(batches, factories, (0, 1), strict=True):
                channel = channels[site ^ turned]
                place = {"channel": channel} if factory is ContentFactory else {"parent": channel}
                batch.append(factory(**place))
        admin_actions = [acting(PAGES[f], "trash", batch) for f, batch in zip(factories, batches, strict=True)]
        found = at_once("", *admin_actions)
        assert [len(messages) for messages in found] == [1, 1]
        assert all("4 " in messages[0] for messages in found)
        for record in (*batches[0], *batches[1]):
            record.refresh_from_db()
            assert record.trashed_at is not None
        assert_derived()


def test_two_who_lock_and_unlock_the_same_administrators_wait_for_each_other_in_turn(settings):
    settings.CMS_LOCKOUT = "forever"
    for _ in range(5):
        Administrator.objects.all().delete()
        shut_out = {"count_of_failed_login": settings.CMS_LOCKOUT_FAILURES}  # which both acts suit
        some = [AdministratorFactory(is_superuser=False, **shut_out) for _ in range(4)]
        top = AdministratorFactory(**shut_out)
        page = "accounts_administrator"
        found = at_once("", acting(page, "unlock", [*some, top]), acting(page, "lock", some))
        assert found == [["5 administrators were unlocked."], ["4 administrators were locked."]]
        assert Administrator.objects.filter(is_locked_out=True, pk__in=[one.pk for one in some]).count() in {0, 4}


def test_a_content_is_restored_or_purged():
    for _ in range(5):
        content = ContentFactory(tags="t")
        trash_content(content.site_id, content.channel_id, content.pk)
        old = trash.OldTrash(clock.now() + timedelta(days=1), content.site_id)
        found = at_once(
            "",
            outcome(restore_content, content.site_id, content.pk),
            outcome(old.purge),
            outcome(purge_content, content.site_id, content.pk),
        )
        is_there = Content.objects.live().filter(pk=content.pk).exists()
        assert is_there == (found[0] == "")
        assert is_there == Content.objects.filter(pk=content.pk).exists()
        assert_derived()


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
def test_those_after_a_batch_that_was_restored_meanwhile_are_purged(monkeypatch):
    monkeypatch.setattr(trash, "_BATCH", 2)
    contents = [ContentFactory() for _ in range(3)]
    channel = contents[0].channel
    Content.objects.update(site=channel.site_id, channel=channel, trashed_at=clock.now())
    old = trash.OldTrash(clock.now() + timedelta(days=1), channel.site_id)
    found = []
    purging = threading.Thread(target=lambda: found.extend(at_once("", lambda _client: old.purge())))
    with transaction.atomic():
        trash.restore_contents([Seen(channel.site_id, content.pk) for content in contents[:2]])
        purging.start()
        while purging.is_alive() and not somebody_waits():
            purging.join(0.01)
    purging.join(60)
    assert found == [trash.Purged(contents=1)]
    assert set(Content.objects.all()) == set(contents[:2])


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


def test_a_content_never_comes_back_into_a_channel_that_goes():
    for _ in range(5):
        content = ContentFactory(tags="t")
        place = content.site_id, content.channel_id
        trash_content(*place, content.pk)
        found = at_once("", outcome(restore_content, place[0], content.pk), outcome(trash_channel, *place))
        assert found in [["", ""], ["channel_in_trash", ""]]
        assert Content.objects.live().filter(pk=content.pk).count() == 0
        assert_derived()


def test_a_channel_is_restored_or_purged_as_a_whole():
    for _ in range(5):
        top = ChannelFactory()
        ContentFactory(channel=ChannelFactory(parent=top))
        trash_channel(top.site_id, top.pk)
        at_once(
            "",
            outcome(restore_channel, top.site_id, top.pk),
            outcome(trash.purge_channel, top.site_id, top.pk),
        )
        assert Channel.objects.filter(site_id=top.site_id).count() in {1, 3}
        assert Content.objects.filter(site_id=top.site_id).count() == (Channel.objects.filter(pk=top.pk).count())
        assert not Channel.objects.filter(site_id=top.site_id).exclude(trashed_at=None).exists()
        assert_derived()
