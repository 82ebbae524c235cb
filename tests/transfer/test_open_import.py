"""What others can do while the transaction of an import is open, and what waits for it."""

import threading
from contextlib import contextmanager
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError, connection, connections, transaction

from channels_app.models import Channel
from channels_app.services import create_channel, create_site, lock_tree
from contents.models import Content
from sites.models import Site
from sites.services import change_site
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tools.site_templates import OLD_SITE, Template, feed, old_channel, old_content
from transfer.importing import import_site
from transfer.placement import Placement
from transfer.site_template import SiteTemplate

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connections["default"].vendor != "postgresql", reason="SQLite has one writer at a time."),
]


class Undone(Exception):
    """Ends a transaction without leaving anything."""


@contextmanager
def open_import(folder, settings, **place):
    """A site with channels and contents is written, and nobody else knows yet."""
    template = Template(
        site=OLD_SITE,
        channels={"1": feed(old_channel(7), [old_content(1)]), "1_1": feed(old_channel(8, 7), [old_content(2)])},
    )
    path = template.write_zip(folder / "T.zip")
    with pytest.raises(Undone), SiteTemplate(path, ZoneInfo(settings.TIME_ZONE)) as package, transaction.atomic():
        import_site(package, Placement("port", is_root=False, **place))
        yield
        raise Undone


def told(act):
    """What comes of an act by another connection, which waits for others a moment and not for ever."""
    outcomes = []

    def run():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '1s'")
            act()
            outcomes.append("done")
        except (OperationalError, ValidationError) as error:
            outcomes.append("waits" if "lock timeout" in str(error) else str(error))
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return outcomes[0]


def rename(site):
    site.site_dir = "quays"
    change_site(site)


def test_channels_and_contents_of_other_sites_are_written_during_an_import(tmp_path, settings):
    above, other = SiteFactory(), SiteFactory()
    with open_import(tmp_path, settings, parent_id=above.pk):
        for site in (above, other):
            home = Channel.objects.get(pk=site.pk)
            assert told(lambda home=home: create_channel(home, "News")) == "done"
            assert told(lambda home=home: ContentFactory(channel=home)) == "done"
    assert (Channel.objects.filter(channel_name="News").count(), Content.objects.count()) == (2, 2)


@pytest.mark.parametrize("act", [lambda site: rename(site), lambda site: create_site("Quay", site_dir="port")])
def test_addresses_of_sites_wait_for_an_import(tmp_path, settings, act):
    site = SiteFactory()
    with open_import(tmp_path, settings):
        assert told(lambda: act(site)) == "waits"
    assert told(lambda: act(site)) == "done"


def test_two_sites_that_are_set_below_each_other_at_once_make_no_loop():
    sites = [SiteFactory(), SiteFactory()]
    barrier, outcomes = threading.Barrier(2), []

    def set_below(site, above):
        barrier.wait(30)
        outcomes.append(told(lambda: change_site(Site(pk=site.pk, site_dir=site.site_dir, parent_id=above.pk))))

    threads = [threading.Thread(target=set_below, args=pair) for pair in (sites, reversed(sites))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcome == "done" for outcome in outcomes) == [False, True]
    assert Site.objects.exclude(parent=None).count() == 1


def test_who_locks_a_site_and_then_the_one_above_it_waits_for_no_change_of_address():
    below, above = SiteFactory(), SiteFactory(site_dir="quay")
    Site.objects.filter(pk=below.pk).update(parent=above)
    changing = threading.Thread(target=lambda: outcomes.append(told(lambda: rename(above))))
    outcomes = []
    with transaction.atomic():
        lock_tree(below.pk)
        changing.start()
        while changing.is_alive() and not somebody_waits():
            changing.join(0.01)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1ms'")
        lock_tree(above.pk)
    changing.join(60)
    assert outcomes == ["done"]
    assert Site.objects.get(pk=below.pk).web_url == f"/quays/{below.site_dir}"


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


def test_a_site_is_made_while_somebody_changes_channels_of_another():
    channel = ChannelFactory()
    with transaction.atomic():
        lock_tree(channel.site_id)
        assert told(lambda: create_site("Port", site_dir="port", parent_id=channel.site_id)) == "done"
