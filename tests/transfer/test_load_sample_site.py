"""The command load_sample_site: a site for a new installation."""

import io
import json
import re

import pytest
from django.core.management import call_command

from channels_app.models import Channel
from contents.admin.fields import offered_fields
from contents.models import Content
from core.archive import media
from media_library.models import MediaFile
from sites.models import Site
from tests.factories import SiteFactory
from transfer.sample import FOLDER, SampleSite

pytestmark = pytest.mark.django_db


def run():
    out = io.StringIO()
    call_command("load_sample_site", stdout=out)
    return out.getvalue().strip()


def test_loads_every_channel_and_content():
    printed = run()
    site = Site.objects.get()
    channels = list(SampleSite().channels())
    contents = [content for channel in channels for content in SampleSite().contents(channel)]
    assert site.is_root
    assert printed == f"siteId={site.pk} channels={len(channels)} contents={len(contents)}"
    assert [channel.channel_name for channel in Channel.objects.in_site(site.pk)] == [
        record.fields["channel_name"] for record in channels
    ]
    assert MediaFile.objects.filter(site=site, kind="image").exists()
    stored = Content.objects.order_by("id").select_related("body")
    for content, record in zip(stored, contents, strict=True):
        assert (content.title, content.body.text) == (record.fields["title"], record.fields["content"])
        assert content.add_date == record.fields["add_date"]
        assert json.loads(content.settings_xml) == record.settings


def test_every_list_of_contents_belongs_to_a_channel():
    index_names = {channel.fields["index_name"] for channel in SampleSite().channels()}
    files = {path.stem for path in SampleSite()._folder.glob("contents/*.json")}
    assert files <= index_names


def test_references_lead_to_the_named_content():
    run()
    referring = Content.objects.exclude(reference_id=0)
    titles = {content.title: Content.objects.get(pk=content.reference_id).title for content in referring}
    assert titles
    assert all(target for target in titles.values())


def test_does_nothing_where_there_is_a_site():
    SiteFactory()
    assert run() == "There is already a site; the sample site was not loaded."
    assert Site.objects.count() == 1


def test_every_upload_that_the_site_names_is_served(client):
    run()
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.json")]
    named = {path for text in texts for path in re.findall(r"@/(upload/[^\\\" ]+)", text)}
    assert len(named) > 50
    served = set()
    for path in named:
        answer = client.get(f"/{path}")
        assert answer.status_code == 200
        served.add(b"".join(answer.streaming_content))
    assert served == {path.read_bytes() for path in (FOLDER / "uploads").rglob("*.*")}


def test_a_crash_while_files_are_stored_leaves_no_site(monkeypatch):
    """The next start loads everything."""

    def fail(name, pieces):
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(media, "store", fail)
        with pytest.raises(OSError, match="No space left"):
            run()
    assert not Site.objects.exists()
    assert run().startswith("siteId=")


def test_every_field_that_editors_are_offered_has_a_label():
    run()
    offered = offered_fields(Site.objects.get().pk)
    assert len(offered) == len(SampleSite().custom_fields)
    assert {field.name for field in offered if not field.label} == set()
    assert [field.taxis for field in offered] == sorted(field.taxis for field in offered)
