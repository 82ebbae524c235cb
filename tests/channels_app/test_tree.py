"""The tree of channels: its figures and the table of ancestors."""

import pytest
from django.db import IntegrityError, connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel, ChannelAncestor
from channels_app.services import create_channel
from tests.contents.derived import assert_derived, expected_ancestors, stored_ancestors
from tests.contents.threads import at_once
from tests.factories import ApiKeyFactory, ChannelFactory, ContentFactory, SiteFactory


def figures(channel):
    return (
        channel.taxis,
        channel.parents_path,
        channel.parents_count,
        channel.children_count,
        channel.is_last_node,
    )


def expected_figures(site):
    """The figures of each channel, out of the parents alone; children stand in the order of their making."""
    children = {}
    for channel in Channel.objects.filter(site=site).order_by("id"):
        children.setdefault(channel.parent_id, []).append(channel.pk)
    found, taxis = {}, 0

    def walk(channel, path, is_last):
        nonlocal taxis
        taxis += 1
        below = children.get(channel, [])
        found[channel] = (taxis, ",".join(map(str, path)), len(path), len(below), is_last)
        for child in below:
            walk(child, [*path, channel], child == below[-1])

    walk(site.pk, [], True)
    return found


def assert_tree(site):
    assert {channel.pk: figures(channel) for channel in Channel.objects.filter(site=site)} == expected_figures(site)
    assert stored_ancestors() == expected_ancestors()


@pytest.mark.django_db
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 20), max_size=12))
def test_any_tree_has_the_figures_of_its_shape(parents):
    with transaction.atomic():
        site, other = SiteFactory(), ChannelFactory().site
        for place in parents:
            channels = list(Channel.objects.filter(site=site).order_by("id"))
            create_channel(channels[place % len(channels)], "channel")
        assert_tree(site)
        assert_tree(other)
        transaction.set_rollback(True)


@pytest.mark.django_db(transaction=True)
def test_parallel_creates_keep_the_figures():
    site = SiteFactory()
    parents = [Channel.objects.get(pk=site.pk), ChannelFactory(site=site), ChannelFactory(site=site)]

    def create(parent):
        try:
            return create_channel(Channel.objects.get(pk=parent.pk), "channel").pk
        finally:
            connections.close_all()

    acts = [lambda client, parent=parent: create(parent) for parent in parents * 3]
    assert len(set(at_once(ApiKeyFactory().token, *acts))) == 9
    channels = list(Channel.objects.filter(site=site))
    assert sorted(channel.taxis for channel in channels) == list(range(1, 13))
    for channel in channels:
        assert channel.children_count == channel.children.count()
    for parent in parents:
        assert parent.children.filter(is_last_node=True).count() == 1
    assert stored_ancestors() == expected_ancestors()


@pytest.mark.django_db
def test_a_moved_channel_takes_everything_below_it_along():
    site = SiteFactory()
    old, new = ChannelFactory(site=site), ChannelFactory(site=site)
    moved = ChannelFactory(parent=old)
    leaf = ChannelFactory(parent=moved)
    Channel.objects.filter(pk=moved.pk).update(parent=new)
    above = {
        channel.pk: set(ChannelAncestor.objects.filter(channel=channel).values_list("ancestor_id", flat=True))
        for channel in (moved, leaf)
    }
    assert above == {moved.pk: {moved.pk, new.pk, site.pk}, leaf.pk: {leaf.pk, moved.pk, new.pk, site.pk}}
    assert stored_ancestors() == expected_ancestors()


@pytest.mark.django_db
def test_a_removed_channel_leaves_no_ancestors_behind():
    channel = ChannelFactory()
    channel.delete()
    assert not ChannelAncestor.objects.filter(channel_id=channel.pk).exists()
    assert stored_ancestors() == expected_ancestors()


@pytest.mark.django_db
@pytest.mark.parametrize("make", [
    lambda channel: ChannelFactory(site=channel.site, index_name="news"),
    lambda channel: ChannelFactory(site=channel.site, file_path="/news.html"),
    lambda channel: Channel.objects.filter(pk=channel.pk).update(parent=channel),
    lambda channel: Channel.objects.filter(pk=channel.pk).update(parent=None),
    lambda channel: ChannelFactory(site=channel.site, link_type="Nonsense"),
])  # fmt: skip
def test_the_database_refuses_what_breaks_the_tree(make):
    channel = ChannelFactory(index_name="news", file_path="/news.html")
    with pytest.raises(IntegrityError), transaction.atomic():
        make(channel)
    assert_tree(channel.site)


@pytest.mark.django_db
def test_names_of_one_site_are_free_in_another():
    for _ in range(2):
        ChannelFactory(index_name="news", file_path="/news.html")
    assert Channel.objects.filter(index_name="news").count() == 2


@pytest.mark.django_db
def test_a_channel_with_contents_is_not_removed():
    content = ContentFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        content.channel.delete()
    assert stored_ancestors() == expected_ancestors()


@pytest.mark.django_db(transaction=True)
def test_channels_and_contents_are_created_at_the_same_time():
    parent = ChannelFactory()
    path = f"/api/v1/contents/{parent.site_id}/{parent.pk}"

    def create_contents(client):
        return {client.post(path, {"title": "x", "tags": "a"}).status_code for _ in range(10)}

    def create_channels(client):
        for _ in range(10):
            create_channel(Channel.objects.get(pk=parent.pk), "channel")
        return {200}

    acts = [create_contents, create_channels] * 3
    assert at_once(ApiKeyFactory().token, *acts) == [{200}] * 6
    assert_tree(parent.site)
    assert_derived()
