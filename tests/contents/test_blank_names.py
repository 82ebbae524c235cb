"""Names that show nothing in any script are names nowhere, so that a site with them can be exported and imported."""

import io
import json
from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from channels_app.models import Channel
from contents.lists import derived_tables
from contents.models import Content, ContentGroup, ContentTag, CustomField, ListedContent
from contents.wire.name_list import split_names, typed_names
from tests.assertions import assert_error
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.transfer.site_files import bring_in, export

pytestmark = pytest.mark.django_db

BLANK = ["\u3000", "\xa0", "\u200b", "\ufeff", "\t", "\u3164", "\u2003 \u200d", "\x07"]


def address(channel):
    return f"/api/v1/contents/{channel.site_id}/{channel.pk}"


def names_of(site_id):
    groups = ContentGroup.objects.filter(site=site_id).values_list("group_name", flat=True)
    tags = ContentTag.objects.filter(site=site_id).values_list("tag_name", flat=True)
    return sorted(groups), sorted(tags)


@pytest.mark.parametrize("blank", BLANK)
def test_a_client_makes_none(api, blank):
    channel = ChannelFactory()
    body = {
        "title": "x",
        "groupNameCollection": f"海, {blank},b",
        "tags": f"{blank},灯",
        blank: "value",
        "colour": "red",
    }
    made = api.post(address(channel), body)
    assert made.status_code == 200, made.content
    record = made.json()["value"]
    assert (record["groupNameCollection"], record["tags"]) == ("海,b", "灯")
    body = {"title": "y", "settingsXml": json.dumps({blank: "v", "shape": "round"})}
    assert api.post(address(channel), body).status_code == 200
    assert names_of(channel.site_id) == (["b", "海"], ["灯"])
    assert set(CustomField.objects.filter(site=channel.site_id).values_list("name", flat=True)) == {"colour", "shape"}
    assert_derived()


@pytest.mark.parametrize("blank", BLANK)
def test_triggers_make_none_of_texts_from_elsewhere(blank):
    channel = ChannelFactory()
    content = ContentFactory(channel=channel, group_name_collection=f"a, {blank} ,b", tags=blank)
    Content.objects.filter(pk=content.pk).update(tags=f"{blank},c")
    assert names_of(channel.site_id) == (["a", "b"], ["c"])
    assert not list(derived_tables.differences())
    derived_tables.rebuild()
    assert names_of(channel.site_id) == (["a", "b"], ["c"])
    assert_derived()


@pytest.mark.parametrize("blank", BLANK)
def test_lists_of_names_drop_them(blank):
    assert split_names(f"a,{blank},,b") == ["a", "b"]
    assert typed_names(f"a，{blank}、b") == ["a", "b"]


@pytest.mark.parametrize("blank", BLANK)
def test_a_channel_has_neither_a_blank_name_nor_index(api, blank):
    site = SiteFactory()
    assert_error(api.post(f"/api/v1/channels/{site.pk}", {"channelName": blank}), 400, "invalid_value")
    for _each in range(2):  # blank indexes would be equal
        body = {"channelName": "News", "indexName": blank, "groupNameCollection": f"a,{blank}"}
        made = api.post(f"/api/v1/channels/{site.pk}", body)
        assert made.status_code == 200, made.content
        channel = Channel.objects.get(pk=made.json()["value"]["id"])
        assert (channel.index_name, channel.group_name_collection) == ("", "a")
    assert_error(api.post(address(channel), {"title": blank}), 400, "missing_member")


def with_old_names():
    """A site with blank names, as earlier releases made them."""
    content = ContentFactory(group_name_collection="a,\u3000", tags="c")
    site_id = content.site_id
    CustomField.objects.create(site_id=site_id, name=" ", folded_name=" ")
    Content.objects.filter(pk=content.pk).update(settings_xml='{" ": "v"}')
    group = ContentGroup.objects.create(site_id=site_id, group_name="\u3000")
    ContentTag.objects.create(site_id=site_id, tag_name="\u200b")
    keys = ListedContent.objects.filter(content=content, kind=1).values().first()
    ListedContent.objects.create(**keys | {"owner_id": group.pk})
    return content


def test_migrate_drops_those_of_earlier_releases():
    content = with_old_names()
    import_module("contents.migrations.0026_drop_blank_names").drop(apps, connection.schema_editor())
    assert names_of(content.site_id) == (["a"], ["c"])
    assert_derived()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("media_folder")
def test_a_site_with_those_of_earlier_releases_can_be_exported_and_imported(tmp_path):
    content = with_old_names()
    export(content.site, tmp_path / "site.tar")
    bring_in(tmp_path / "site.tar", "--site-dir", "copy")
    copy = Content.objects.exclude(site=content.site_id).get()
    assert names_of(copy.site_id) == (["a"], ["c"])
    assert json.loads(copy.settings_xml) == {" ": "v"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("media_folder")
def test_a_file_that_no_import_takes_is_not_written(tmp_path):
    content = ContentFactory()
    Content.objects.filter(pk=content.pk).update(settings_xml="no JSON")
    path = tmp_path / "site.tar"
    with pytest.raises(Exception, match="settings_xml: It must be a JSON object"):
        call_command("export_site", str(content.site_id), str(path), quiet=True, stdout=io.StringIO())
    assert not path.exists()
