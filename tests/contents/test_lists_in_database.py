"""Whatever is done to contents and channels, the tables behind the lists follow."""

from datetime import datetime

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from channels_app.services import create_channel
from contents.lists.derived_tables import differences
from contents.models import Content, ListedContent, ListedCount
from tests.contents.asking import PATH
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

NAMES = st.sampled_from(["", "a", "a,b", " b , c ", "c,,a,", "a,a", "A", "头条,b", "it's,\"x\\", ",", "x\ty, \u3000"])
DATES = st.sampled_from([datetime(2020, 1, day) for day in (1, 2)])
PLACES = st.integers(0, 9)  # of a channel or content among those that are there
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "is_checked": st.booleans(),
        "is_top": st.booleans(),
        "is_recommend": st.booleans(),
        "is_hot": st.booleans(),
        "is_color": st.booleans(),
        "group_name_collection": NAMES,
        "tags": NAMES,
        "add_date": DATES,
        "taxis": st.integers(-1, 2),
        "title": st.sampled_from(["x", "y"]),
        "hits": st.integers(0, 2),
    },
)


def pick(rows, place):
    rows = list(rows.order_by("id"))
    return rows[place % len(rows)] if rows else None


def some(places):
    """The contents at the places, as a queryset."""
    chosen = [content.pk for place in places if (content := pick(Content.objects.all(), place))]
    return Content.objects.filter(pk__in=chosen)


def home(channel):
    return {"channel": channel, "site_id": channel.site_id}


def create(place, changes):
    ContentFactory(**home(pick(Channel.objects.all(), place)), **changes)


def bulk_create(places, changes):
    channels = [pick(Channel.objects.all(), place) for place in places]
    Content.objects.bulk_create(Content(**home(channel), **{"title": "bulk"} | changes) for channel in channels)


def save(place, changes):
    if content := pick(Content.objects.all(), place):
        for name, value in changes.items():
            setattr(content, name, value)
        content.save()


def update(places, changes):
    if changes:
        some(places).update(**changes)


def move_contents(places, place):
    some(places).update(**home(pick(Channel.objects.all(), place)))


def trash(places):
    some(places).update(trashed_at=datetime(2021, 1, 1))


def restore(places):
    some(places).update(trashed_at=None)


def delete(places):
    some(places).delete()


def add_channel(place):
    create_channel(pick(Channel.objects.all(), place), "new")


def move_channel(place, target):
    channel, parent = (pick(Channel.objects.all(), each) for each in (place, target))
    below = Channel.objects.filter(ancestor_links__ancestor=channel)
    if channel.parent_id and channel.site_id == parent.site_id and parent not in below:
        Channel.objects.filter(pk=channel.pk).update(parent=parent)


def delete_channel(place):
    empty = Channel.objects.filter(contents=None, children=None).exclude(parent=None)
    if channel := pick(empty, place):
        channel.delete()


SEVERAL = st.lists(PLACES, min_size=1, max_size=4)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just(create), PLACES, CHANGES),
        st.tuples(st.just(bulk_create), SEVERAL, CHANGES),
        st.tuples(st.just(save), PLACES, CHANGES),
        st.tuples(st.just(update), SEVERAL, CHANGES),
        st.tuples(st.just(move_contents), SEVERAL, PLACES),
        st.tuples(st.just(trash), SEVERAL),
        st.tuples(st.just(restore), SEVERAL),
        st.tuples(st.just(delete), SEVERAL),
        st.tuples(st.just(add_channel), PLACES),
        st.tuples(st.just(move_channel), PLACES, PLACES),
        st.tuples(st.just(delete_channel), PLACES),
    ),
    max_size=12,
)


@pytest.fixture
def trees(db):
    """Two sites with some channels each."""
    for _ in range(2):
        site = SiteFactory()
        ChannelFactory(parent=ChannelFactory(parent=ChannelFactory(site=site)))
        ChannelFactory(site=site)


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(OPERATIONS)
def test_any_operations_leave_the_lists_as_they_should_be(trees, operations):
    with transaction.atomic():
        for act, *arguments in operations:
            act(*arguments)
            assert_derived()
        assert list(differences()) == []
        transaction.set_rollback(True)


def test_the_endpoints_leave_the_lists_as_they_should_be(api):
    channel = ChannelFactory(parent=ChannelFactory())
    address = f"{PATH}/{channel.site_id}/{channel.pk}"
    body = {"title": "a", "isTop": True, "tags": "x,y", "groupNameCollection": "g"}
    first, second = (api.post(address, body).json()["value"]["id"] for _ in range(2))
    assert_derived()
    api.put(f"{address}/{first}", {"isHot": "True", "tags": "y,z", "taxis": 9, "addDate": "2020-01-01"})
    assert_derived()
    places = [{"channelId": channel.pk, "id": content_id} for content_id in (first, second)]
    api.post(f"{PATH}/check", {"siteId": channel.site_id, "contents": places})
    assert_derived()
    api.delete(f"{address}/{first}")
    assert_derived()


def test_an_edit_of_the_text_leaves_the_lists_alone(api):
    content = ContentFactory(tags="a")
    rows = ListedContent.objects.filter(content=content)
    rows.filter(kind=0).update(taxis=77)  # would be written anew
    api.put(f"{PATH}/{content.site_id}/{content.channel_id}/{content.pk}", {"title": "b", "content": "c"})
    assert set(rows.filter(kind=0).values_list("taxis", flat=True)) == {77}


@pytest.mark.django_db(transaction=True)
def test_emptying_all_tables_leaves_no_counts_behind():
    ContentFactory(tags="a", is_top=True)
    call_command("flush", interactive=False, verbosity=0)
    assert not ListedContent.objects.exists()
    assert not ListedCount.objects.exists()
