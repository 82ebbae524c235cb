"""The published samples of the stl elements, replayed: names, types and order of members.

What differs here, and is said in the README or the design: `imageUrl` is resolved, and items of
`stl/channels` have a `navigationUrl` besides.
"""

import json
from datetime import datetime
from pathlib import Path

import pytest

from channels_app.models import Channel
from sites.attributes import REGISTRY
from tests.factories import ApiKeyFactory, ChannelFactory, SiteFactory
from tests.stl.asking import ask, names

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]


def sample(name):
    """The address that was asked, and the value that was answered."""
    shown = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    body = shown["response"]["body"]
    return shown["request"], body and body["value"]


def with_types(record):
    """Names and types, in order."""
    return [(name, with_types(value) if isinstance(value, dict) else type(value)) for name, value in record.items()]


def make_channel(shown, site, **fields):
    """A channel with the stored members of one that a sample shows."""
    columns = {
        "index_name": "indexName", "group_name_collection": "groupNameCollection", "image_url": "imageUrl",
        "channel_template_id": "channelTemplateId", "content_template_id": "contentTemplateId",
    }  # fmt: skip
    stored = {column: shown[wire] for column, wire in columns.items()}
    return ChannelFactory(
        site=site, channel_name=shown["channelName"], settings=shown["attributes"],
        add_date=datetime.fromisoformat(shown["addDate"]), **stored, **fields,
    )  # fmt: skip


def test_sites(api):
    request, expected = sample("12-stl-sites")
    for shown in expected:
        settings = {
            name: value for name, value in shown["attributes"].items() if not REGISTRY.by_name[name].is_computed
        }
        SiteFactory(
            site_name=shown["siteName"], site_dir=shown["siteDir"], table_name=shown["tableName"],
            taxis=shown["taxis"], settings=settings,
        )  # fmt: skip
    answered = ask(api, "sites", request["query"])
    assert [with_types(record) for record in answered] == [with_types(shown) for shown in expected]
    for record, shown in zip(answered, expected, strict=True):
        assert record | {"id": shown["id"]} == shown
        assert ask(api, "site", siteId=record["id"]) == record


def test_channel(api):
    _, expected = sample("15-stl-channel")
    site = SiteFactory(site_name="Museum")
    home = Channel.objects.filter(pk=site.pk)
    home.update(channel_name="首页", index_name="首页", add_date=datetime(2018, 2, 27, 14, 48, 50))
    answered = ask(api, "channel", siteId=site.pk)
    assert with_types(answered) == with_types(expected)
    own = {"id": site.pk, "siteId": site.pk, "childrenCount": 0, "isLastNode": True}
    assert answered == expected | own


def test_channels(api):
    _, expected = sample("54-stl-channels")
    site = SiteFactory(site_dir="museum")
    for shown in expected:
        make_channel(shown, site)
    answered = ask(api, "channels", siteId=site.pk)
    for record, shown in zip(answered, expected, strict=True):
        page = f"/museum/channels/{record['id']}.html"
        assert with_types(record) == [*with_types(shown), ("navigationUrl", str)]
        own = {
            "id": record["id"],
            "siteId": site.pk,
            "parentId": site.pk,
            "parentsPath": str(site.pk),
            "contentNum": 0,
            "isLastNode": record["isLastNode"],
            "imageUrl": "/museum/images/link_bn.jpg",
            "navigationUrl": page,
        }
        assert record == shown | own
    assert [record["isLastNode"] for record in answered] == [False, True]


def test_a(api):
    _, expected = sample("53-stl-a")
    assert ask(api, "a", siteId=SiteFactory(site_dir="site").pk) == expected == "/site/index.html"


def test_the_request_of_a_mobile_client(stranger):
    request, _ = sample("82-wire-stl-channels")
    site = SiteFactory()
    channel = ChannelFactory(site=site, index_name="gd")
    ChannelFactory(parent=ChannelFactory(parent=channel, channel_name="b", settings={"theme": "dark"}),
                   channel_name="c")  # fmt: skip
    query = request["query"] | {"siteId": site.pk, "apiKey": ApiKeyFactory(scopes="STL").token}
    assert names(stranger, "channels", query) == "b c"
    # The complaint was that custom fields were missing.
    assert ask(stranger, "channels", query)[0]["theme"] == "dark"
