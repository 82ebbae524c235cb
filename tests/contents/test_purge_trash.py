"""`manage.py purge trash`: what leaves the trash for good, and what stays."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.models import Content, ContentBody, ContentPicture, ListedCount
from contents.services import trash
from contents.services.single import trash_content
from core.audit.models import AuditEntry
from core.lib import clock
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def purge(*options):
    """The exit status and what the command prints."""
    out, status = StringIO(), 0
    try:
        call_command("purge", "trash", *map(str, options), stdout=out, stderr=out)
    except SystemExit as exit_:
        status = exit_.code
    return status, out.getvalue().splitlines()


def age(**days):
    """Let what is in the trash have come there so many days ago."""
    ago = clock.now() - timedelta(**days)
    for kind in (Content, Channel):
        kind.objects.exclude(trashed_at=None).update(trashed_at=ago)


def trashed_content(**fields):
    content = ContentFactory(**fields)
    trash_content(content.site_id, content.channel_id, content.pk)
    return content


def purged_entries():
    entries = AuditEntry.objects.filter(action="trash.purged").order_by("pk")
    return [(entry.site_id, entry.details["contents"], entry.details["channels"]) for entry in entries]


def test_what_is_old_enough_goes_and_the_rest_stays(settings):
    settings.CMS_TRASH_DAYS = 10
    old = trashed_content(content="<p>x</p>", tags="t")
    ContentPicture.objects.create(content=old)
    age(days=11)
    young, present = trashed_content(), ContentFactory(tags="t")
    kept = ContentPicture.objects.create(content=young)
    assert purge() == (0, ["Purged: contents=1 channels=0 sites=0 files=0"])
    assert set(Content.objects.all()) == {young, present}
    assert not ContentBody.objects.filter(content_id=old.pk).exists()
    assert ContentPicture.objects.get() == kept
    assert purged_entries() == [(old.site_id, 1, 0)]
    assert_derived()


def test_channels_go_with_everything_below_them():
    site = SiteFactory()
    top = ChannelFactory(site=site)
    below = ChannelFactory(parent=top)
    earlier = ChannelFactory(parent=below)
    ContentFactory(channel=earlier)
    ContentFactory(channel=below, tags="t")
    # At different times, though the clock may not tell them apart.
    trash_channel(site.pk, earlier.pk)
    trash_channel(site.pk, top.pk)
    age(days=31)
    assert purge("--older-than", "30d") == (0, ["Purged: contents=2 channels=3 sites=0 files=0"])
    assert list(Channel.objects.all()) == [Channel.objects.get(pk=site.pk)]
    assert not ListedCount.objects.filter(owner_id__in=[top.pk, below.pk, earlier.pk], kind=0).exists()
    assert sum(channels for _, _, channels in purged_entries()) == 3
    assert_derived()
    assert call_command("check_tree") is None


def test_a_channel_whose_deletion_is_younger_stays_with_what_it_was_deleted_with():
    top = ChannelFactory()
    content = trashed_content(channel=top)
    age(days=31)
    trash_channel(top.site_id, top.pk)
    assert purge()[1] == ["Purged: contents=1 channels=0 sites=0 files=0"]
    assert Channel.objects.filter(pk=top.pk).exists()
    assert not Content.objects.filter(pk=content.pk).exists()


def test_a_dry_run_says_how_many_and_deletes_nothing():
    trashed_content()
    trash_channel((top := ChannelFactory()).site_id, top.pk)
    assert purge("--older-than", "0", "--dry-run") == (0, ["Would be purged: contents=1 channels=1 sites=0 files=0"])
    assert Content.objects.count() == 1
    assert purged_entries() == []


def test_zero_means_everything_of_one_site_only():
    one, other = trashed_content(), trashed_content()
    assert purge("--older-than", "0", "--site", one.site_id) == (0, ["Purged: contents=1 channels=0 sites=0 files=0"])
    assert list(Content.objects.all()) == [other]


def test_goes_in_batches_and_goes_on_after_an_interruption(monkeypatch):
    monkeypatch.setattr(trash, "_BATCH", 2)
    channel = ChannelFactory()
    for _ in range(5):
        trashed_content(channel=channel)
    steps = []

    def interrupt(number):
        steps.append(number)
        if len(steps) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trash.OldTrash(clock.now() + timedelta(days=1)).purge(interrupt)
    assert steps == [2, 2]
    assert Content.objects.count() == 1
    assert purge("--older-than", "0") == (0, ["Purged: contents=1 channels=0 sites=0 files=0"])
    assert purged_entries() == [(channel.site_id, number, 0) for number in (2, 2, 1)]
    assert purge("--older-than", "0") == (0, ["Purged: contents=0 channels=0 sites=0 files=0"])


def test_a_channel_to_which_something_belongs_stays():
    top = ChannelFactory()
    below = ChannelFactory(parent=top)
    trash_channel(top.site_id, top.pk)
    age(days=31)
    Channel.objects.filter(pk=below.pk).update(trashed_at=None, trashed_with_id=None)  # past the services
    status, lines = purge()
    assert status == 1
    assert lines == [
        "Purged: contents=0 channels=0 sites=0 files=0",
        "Channels not deleted because they still have records: 1. Run check_tree.",
    ]
    assert Channel.objects.filter(pk=top.pk).exists()


def test_a_reference_to_a_purged_content_stays_as_it_is():
    gone = trashed_content()
    reference = ContentFactory(channel=gone.channel, reference_id=gone.pk)
    purge("--older-than", "0")
    assert Content.objects.get(pk=reference.pk).reference_id == gone.pk


@pytest.mark.parametrize("options", [("--older-than", "soon"), ("--older-than", "-1"), ("--site", 10**9)])
def test_refuses_options_that_it_cannot_follow(options):
    trashed_content()
    with pytest.raises(CommandError):
        purge(*options)
    assert Content.objects.count() == 1
