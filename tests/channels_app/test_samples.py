"""The published samples of channels: the same members, types and order on data of our own."""

import json
from pathlib import Path

import pytest

from channels_app.models import Channel
from tests.factories import ChannelFactory, SiteFactory

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]


def sample(name):
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def store(site, record, parent=None):
    """A channel that says what the record says, and those below it."""
    fields = {
        "index_name": record["indexName"],
        "group_name_collection": record["groupNameCollection"],
        "add_date": record["addDate"],
        "image_url": record["imageUrl"],
        "link_type": record["linkType"],
        "channel_template_id": record["channelTemplateId"],
        "content_template_id": record["contentTemplateId"],
    }
    channel = ChannelFactory(site=site, parent=parent, channel_name=record["channelName"], **fields)
    for child in record["children"]:
        store(site, child, channel)
    return channel


def shape(value):
    """Names in their order, and types."""
    if isinstance(value, dict):
        return [(name, shape(member)) for name, member in value.items()]
    return [shape(item) for item in value] if isinstance(value, list) else type(value)


# Follow from numbers and places that are not ours to give.
OWN = {"id", "siteId", "parentId", "parentsPath", "taxis", "navigationUrl", "children", "lastNode", "isLastNode"}


def told(record):
    return {name: value for name, value in record.items() if name not in OWN}


def test_a_channel_is_answered_as_published(api):
    expected = sample("17-channels-get")["response"]["body"]
    site = SiteFactory(site_dir="test24")
    channel = store(site, expected["value"])
    answer = api.get(f"/api/v1/channels/{site.pk}/{channel.pk}").json()
    assert shape(answer) == shape(expected)
    value, (child,) = answer["value"], answer["value"]["children"]
    assert told(value) == told(expected["value"])
    assert told(child) == told(expected["value"]["children"][0])
    # The address of the first child page, as in the sample.
    assert value["navigationUrl"] == child["navigationUrl"] == f"/test24/channels/{child['id']}.html"
    assert (value["taxis"], child["taxis"]) == (2, 3)
    assert child["parentsPath"] == f"{site.pk},{channel.pk}"


def test_the_channels_of_a_site_are_answered_as_published(api):
    expected = sample("49-channels-list")["response"]["body"]
    site = SiteFactory(site_dir="test24")
    for record in expected["value"]:
        store(site, record)
    answer = api.get(f"/api/v1/channels/{site.pk}").json()
    assert shape(answer) == shape(expected)
    assert list(map(told, answer["value"])) == list(map(told, expected["value"]))


def test_the_published_update_is_carried_out(api):
    request = sample("18-channels-update")["request"]
    channel = ChannelFactory()
    response = api.put(f"/api/v1/channels/{channel.site_id}/{channel.pk}", request["body"])
    assert response.status_code == 200
    value = response.json()["value"]
    assert (value["channelName"], value["indexName"]) == ("栏目标题2", "栏目索引2")


def test_the_published_creation_is_carried_out(api):
    request = sample("50-channels-create")["request"]
    site = SiteFactory()
    value = api.post(f"/api/v1/channels/{site.pk}", request["body"]).json()["value"]
    assert value["channelName"] == request["body"]["channelName"]
    assert Channel.objects.get(pk=value["id"]).parent_id == site.pk
