"""The command import_site_template, from a package to the rows of a site."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from contents.models import (
    Content,
    ContentBody,
    ContentGroup,
    ContentTag,
    CustomField,
    LastTaxis,
    ListedContent,
    ListedCount,
)
from sites.models import Site
from tests.factories import SiteFactory
from tests.transfer.test_site_template import REAL_TEMPLATES, needs_real_templates, read_all
from tools.site_templates import OLD_SITE, Template, encoded, feed, old_channel, old_content
from transfer.importing import read_batches
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

pytestmark = pytest.mark.django_db

EVERYTHING = (
    Site,
    Channel,
    Content,
    ContentBody,
    ContentGroup,
    ContentTag,
    CustomField,
    LastTaxis,
    ListedContent,
    ListedCount,
)


def run(path, *options):
    """Import the package and return what the command printed, line by line."""
    out = io.StringIO()
    call_command("import_site_template", str(path), *options, stdout=out)
    return out.getvalue().splitlines()


def refusal(path, *options):
    """Return why the package was refused, after making sure that nothing was left behind."""
    before = [model.objects.count() for model in EVERYTHING]
    with pytest.raises(CommandError) as caught:
        run(path, *options)
    assert [model.objects.count() for model in EVERYTHING] == before
    assert caught.value.returncode == 1
    assert "\n" not in str(caught.value)
    return str(caught.value)


def with_contents(*contents, **site):
    """Return a template whose home channel has the contents."""
    return Template(site=OLD_SITE | site, channels={"1": feed(old_channel(7), contents)})


@needs_real_templates
@pytest.mark.parametrize(
    ("name", "channel_count", "content_count"), [("T_aeson", 35, 76), ("T_girish", 21, 71), ("T_scevola", 8, 35)]
)
def test_imports_the_real_templates(name, channel_count, content_count):
    *_, last_line = run(REAL_TEMPLATES / name)
    site = Site.objects.get()
    assert (
        last_line == f"siteId={site.pk} channels={channel_count} contents={content_count} templates=0 files=0 leftOut=0"
    )
    assert site.channels.count() == channel_count
    assert site.contents.count() == ContentBody.objects.count() == content_count


@needs_real_templates
def test_the_imported_site_equals_the_package_field_by_field():
    run(REAL_TEMPLATES / "T_aeson")
    record, channels, contents = read_all(REAL_TEMPLATES / "T_aeson")
    site = Site.objects.get()
    assert (site.site_name, site.site_dir, site.table_name) == (record.site_name, record.site_dir, record.table_name)
    assert site.settings["logo"] == record.settings["logo"]
    stored_channels = list(Channel.objects.in_site(site.pk))
    assert [channel.channel_name for channel in stored_channels] == [r.fields["channel_name"] for r in channels]
    for stored, expected in zip(stored_channels, channels, strict=True):
        assert_fields(stored, expected.fields)
        listed = stored.contents.order_by("id").select_related("body")
        for content, expected_content in zip(listed, contents[expected.fields["taxis"] - 1], strict=True):
            fields = dict(expected_content.fields)
            assert content.body.text == fields.pop("content", "")
            assert_fields(content, fields)
            settings = json.loads(content.settings_xml)
            assert settings.items() >= {k: v for k, v in expected_content.settings.items() if k.islower()}.items()
            assert len(settings) == len(expected_content.settings)


def assert_fields(stored, fields):
    assert {name: getattr(stored, name) for name in fields} == fields


@needs_real_templates
def test_the_tree_survives():
    run(REAL_TEMPLATES / "T_aeson")
    _, records, _ = read_all(REAL_TEMPLATES / "T_aeson")
    site = Site.objects.get()
    channels = list(Channel.objects.in_site(site.pk))
    by_position = {record.position: channel for record, channel in zip(records, channels, strict=True)}
    assert by_position[()].pk == site.pk
    for position, channel in by_position.items():
        ancestors = [by_position[position[:depth]].pk for depth in range(len(position))]
        assert channel.parents_path == ",".join(map(str, ancestors))
        assert channel.parent_id == (ancestors[-1] if ancestors else None)
        children = [other for other in by_position if other[:-1] == position and other]
        assert channel.children_count == len(children)
        assert not children or by_position[max(children)].is_last_node


TREE = {
    "1": feed(old_channel(7)),
    "1_1": feed(
        old_channel(8, 7, ExtendValues="createchannelidsifcontentchanged=7,9,99&transsiteid=7&Theme=dark"),
        [
            old_content(1, ReferenceId="4", SourceId="9"),
            old_content(2, ReferenceId="1", SourceId="-1"),
            old_content(3, ReferenceId="999", SourceId="999"),
        ],
    ),
    "1_2": feed(old_channel(9, 7), [old_content(4, ReferenceId="4", Taxis="40"), old_content(5, "Five")]),
}


def test_references_follow_the_new_ids(tmp_path):
    SiteFactory()
    run(Template(channels=TREE).write_folder(tmp_path))
    home, first, second = Channel.objects.filter(site__site_dir="harbour").order_by("taxis")
    one, two, three, four, five = Content.objects.order_by("id")
    assert [content.reference_id for content in (one, two, three, four, five)] == [four.pk, one.pk, 0, four.pk, 0]
    assert [content.source_id for content in (one, two, three)] == [second.pk, -1, 0]
    assert first.settings == {
        "createChannelIDsIfContentChanged": f"{home.pk},{second.pk}",
        "transSiteId": home.pk,
        "theme": "dark",
    }


def test_groups_tags_and_lists_hold_after_the_import(tmp_path):
    contents = [
        old_content(1, ContentGroupNameCollection="a, b", Tags=encoded("x,y")),
        old_content(2, ContentGroupNameCollection="b", Tags=encoded("y"), IsChecked="False"),
    ]
    groups = [{"IsContentGroup": "True", "ContentGroupName": name, "Description": name} for name in ("c", "b", "c")]
    channels = {"1": feed(old_channel(7)), "1_1": feed(old_channel(8, 7), contents)}
    run(Template(channels=channels, groups=groups).write_folder(tmp_path))
    site = Site.objects.get()
    assert set(ContentGroup.objects.values_list("group_name", "description")) == {("a", ""), ("b", "b"), ("c", "c")}
    assert set(ContentTag.objects.values_list("tag_name", flat=True)) == {"x", "y"}
    assert ListedContent.objects.filter(kind=0, owner_id=site.pk).count() == 2
    group = ContentGroup.objects.get(group_name="b")
    assert ListedContent.objects.filter(kind=1, owner_id=group.pk).count() == 2
    assert dict(LastTaxis.objects.values_list("channel__channel_name", "taxis")) == {"Channel 8": 2}


def test_custom_fields_are_kept_and_spelt_one_way(tmp_path):
    contents = [
        old_content(1, VideoLength=encoded("12"), quyu=encoded("华北")),
        old_content(2, videolength=encoded("13"), NavigationUrl=encoded("/x.html")),
    ]
    run(with_contents(*contents).write_folder(tmp_path))
    assert [json.loads(content.settings_xml) for content in Content.objects.order_by("id")] == [
        {"videoLength": "12", "quyu": "华北"},
        {"videoLength": "13"},
    ]
    assert set(CustomField.objects.values_list("name", "folded_name")) == {
        ("videoLength", "videolength"),
        ("quyu", "quyu"),
    }


@pytest.mark.parametrize(
    ("name", "written", "tags"),
    [
        ("Tags", "海洋 渔船 museum", "海洋,渔船,museum"),
        ("Tags", "a,b;c，d；e\u3000f\tg", "a,b,c,d,e,f,g"),
        ("Tags", '"New York" port "a, b" port', "New York,port,a b"),
        ("Tags", " one ", "one"),
        ("Tags", '"" ,;', ""),
        ("TagNames", "New York,port", "New York,port"),  # version 7
    ],
)
def test_tags_are_separated_as_the_version_did(name, written, tags, tmp_path):
    run(with_contents(old_content(1, **{name: encoded(written)})).write_folder(tmp_path))
    assert Content.objects.get().tags == tags
    assert set(ContentTag.objects.values_list("tag_name", flat=True)) == set(filter(None, tags.split(",")))


def test_contents_without_taxis_or_dates_get_them(tmp_path):
    first, second = old_content(1), old_content(2, AddDate="01/01/0001 00:00:00", LastHitsDate="")
    run(with_contents(first | {"Taxis": "5"}, second | {"Taxis": ""}).write_folder(tmp_path))
    one, two = Content.objects.order_by("id")
    assert (one.taxis, two.taxis) == (5, 6)
    assert one.last_edit_date == one.add_date
    assert (two.add_date.microsecond, two.last_hits_date) == (0, None)


def test_a_zip_is_imported_like_a_folder(tmp_path):
    *_, last_line = run(Template(channels=TREE).write_zip(tmp_path / "harbour.zip"))
    assert last_line == f"siteId={Site.objects.get().pk} channels=3 contents=5 templates=0 files=0 leftOut=0"


def test_a_dry_run_prints_what_would_happen_and_writes_nothing(tmp_path):
    path = Template(channels=TREE).write_folder(tmp_path)
    assert run(path, "--dry-run") == [
        'The folder would be "harbour", and the site would be an ordinary site.',
        "contents  channel",
        "       0  Channel 7",
        "       3    Channel 8",
        "       2    Channel 9",
        "Nothing was written.",
        "The package has no page templates, so the site will have no pages.",
        "siteId=0 channels=3 contents=5 templates=0 files=0 leftOut=0",
    ]
    assert [model.objects.count() for model in EVERYTHING] == [0] * len(EVERYTHING)


def test_a_dry_run_finds_the_errors_of_an_import(tmp_path):
    path = with_contents(old_content(1), old_content(2, "t" * 256)).write_folder(tmp_path)
    assert refusal(path, "--dry-run") == refusal(path)


def test_shows_no_progress_bar_where_there_is_no_terminal(tmp_path, capsys):
    run(Template().write_folder(tmp_path))
    assert capsys.readouterr().err == ""


def test_warns_of_a_watermark_that_cannot_be_drawn(tmp_path, capsys):
    settings = json.dumps({"IsWaterMark": "True", "IsImageWaterMark": "True", "WaterMarkImagePath": "@/none.png"})
    path = with_contents(old_content(1), SettingsXml=settings).write_folder(tmp_path)
    run(path, "--dry-run")
    assert capsys.readouterr().err == ""
    assert run(path)[-1].startswith("siteId=")
    assert "the site has no file @/none.png. Change waterMarkImagePath" in capsys.readouterr().err


def test_takes_the_folder_that_is_asked_for(tmp_path):
    run(Template(site=OLD_SITE | {"IsHeadquarters": "True"}).write_folder(tmp_path), "--site-dir", "港口")
    site = Site.objects.get()
    assert (site.site_dir, site.is_root) == ("港口", False)


@pytest.mark.parametrize(
    ("site", "options"), [({"IsHeadquarters": "True", "PublishmentSystemDir": ""}, []), ({}, ["--root"])]
)
def test_imports_a_root_site(site, options, tmp_path):
    run(Template(site=OLD_SITE | site).write_folder(tmp_path), *options)
    assert Site.objects.get().is_root


@pytest.mark.parametrize("options", [[], ["--site-dir", "HARBOUR"], ["--dry-run"]])
def test_refuses_a_taken_folder_before_it_reads_the_channels(options, tmp_path):
    owner = SiteFactory(site_dir="Harbour")
    path = Template(channels={"1": "no XML"}).write_folder(tmp_path)
    asked = "HARBOUR" if "--site-dir" in options else "harbour"
    expected = f'The folder "{asked}" belongs to site {owner.pk}; give another with --site-dir.'
    assert refusal(path, *options) == expected


def test_refuses_a_second_root_site(tmp_path):
    root = SiteFactory(is_root=True, site_dir="")
    assert refusal(Template().write_folder(tmp_path), "--root").startswith(f"Site {root.pk} is already the root site")


@pytest.mark.parametrize("folder", ["..", "a/b", "a b", "a?b", "x" * 256])
def test_refuses_what_cannot_be_a_folder(folder, tmp_path):
    assert refusal(Template().write_folder(tmp_path), "--site-dir", folder)


def test_refuses_an_ordinary_site_without_a_folder(tmp_path):
    path = with_contents(PublishmentSystemDir="").write_folder(tmp_path)
    assert refusal(path) == "The package names no folder for its site; give one with --site-dir."


HOME = "SiteTemplateMetadata/SiteContent/1.xml"


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            {"Title": encoded("t" * 256)},
            f"{HOME}, entry 2, field title: The text has 256 characters; at most 255 are allowed.",
        ),
        ({"Title": ""}, f"{HOME}, entry 2, field title: The content item has no title."),
        ({"Title": encoded(" ")}, f"{HOME}, entry 2, field title: The content item has no title."),
        (
            {"imageurl": encoded("i" * 2001)},
            f"{HOME}, entry 2, field imageUrl: The text has 2001 characters; at most 2000 are allowed.",
        ),
        (
            {"Tags": encoded(f"short,{'t' * 256}")},
            f"{HOME}, entry 2, field an item of tags: The text has 256 characters; at most 255 are allowed.",
        ),
        (
            {"Taxis": str(2**63)},
            f"{HOME}, entry 2, field taxis: {2**63} is outside the range {-(2**63)} to {2**63 - 1}.",
        ),
        ({"Hits": "-1"}, f"{HOME}, entry 2, element Hits: -1 is negative; a counter must not be negative."),
    ],
)
def test_an_error_names_file_entry_element_and_reason_and_leaves_nothing(second, message, tmp_path):
    path = with_contents(old_content(1), old_content(2) | second).write_folder(tmp_path)
    assert refusal(path) == message


def test_an_error_in_the_last_file_leaves_nothing(tmp_path):
    whole = feed(old_channel(9, 7), [old_content(number) for number in range(1, 2_000)])
    path = Template(channels=TREE | {"1_2": whole[:-20]}).write_folder(tmp_path)
    assert "This is not complete, well-formed XML" in refusal(path)


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ({"NodeName": "  "}, "field channelName: The channel has no name."),
        ({"NodeIndexName": "one"}, 'field indexName: Another channel of the package also has "one".'),
        ({"FilePath": "/one.html"}, 'field filePath: Another channel of the package also has "/one.html".'),
        ({"FilePath": "p" * 501}, "field filePath: The text has 501 characters; at most 500 are allowed."),
    ],
)
def test_an_error_of_a_channel_names_file_and_reason(elements, message, tmp_path):
    channels = {
        "1": feed(old_channel(7, NodeIndexName="one", FilePath="/one.html")),
        "1_1": feed(old_channel(8, 7, **elements)),
    }
    path = Template(channels=channels).write_folder(tmp_path)
    assert refusal(path) == f"SiteTemplateMetadata/SiteContent/1_1.xml, {message}"


def test_refuses_more_custom_fields_than_any_site_has(tmp_path, monkeypatch):
    monkeypatch.setattr("transfer.writers.MAX_CUSTOM_FIELDS", 2)
    fits, too_many = {"a": "1", "b": "2"}, {"A": "1", "B": "2", "c": "3"}
    path = with_contents(old_content(1, **fits), old_content(2, **too_many)).write_folder(tmp_path)
    assert refusal(path) == f"{HOME}, entry 2: The site has more than 2 custom fields."


def test_refuses_a_custom_field_that_is_too_large(tmp_path, settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = 2048
    note = encoded("n" * 2049)
    path = with_contents(old_content(1, Note="n"), old_content(2, Note=note)).write_folder(tmp_path)
    assert refusal(path).startswith(f"{HOME}, entry 2, element Note: “Note” is too large. A custom field has at most ")


class LargeBodies:
    """A package of 40 contents of a million characters each."""

    site = SiteRecord("Large", "large")

    def channels(self):
        yield ChannelRecord(1, (), {"channel_name": "Home"})

    def contents(self, channel):
        for number in range(1, 41):
            yield ContentRecord(number, {"title": "t", "content": "x" * 1_000_000})


def test_batches_are_limited_by_size_too():
    assert {len(batch) for batch in read_batches(LargeBodies())} == {5}
