"""The command import_templates: templates and assets of a package for an existing site."""

import io

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from core.audit.models import AuditEntry
from media_library.models import MediaFile
from media_library.services import record_files
from pages.models import Template
from tests.factories import ChannelFactory, SiteFactory
from tests.transfer.test_import_pages import entry, package
from tools.site_templates import feed, old_channel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def run(site, path, *options):
    out = io.StringIO()
    call_command("import_templates", str(site.pk), str(path), *options, stdout=out)
    return out.getvalue().splitlines()


def template(site, name, kind="ChannelTemplate", **fields):
    return Template.objects.create(site=site, name=name, kind=kind, **fields)


def file_of(site, path):
    with default_storage.open(f"sites/{site.pk}/{path}") as file:
        return file.read()


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def changed_package(tmp_path):
    """A package that changes, adds and repeats."""
    entries = [
        entry("Same", "ChannelTemplate", "same"),
        entry("changed", "ChannelTemplate", '<stl:include file="/include/head.html">'),
        entry("New", "FileTemplate", "new", CreatedFileFullName="@/utils/search.html"),
    ]
    files = {"include/head.html": "head", "css/same.css": "same", "css/changed.css": "new", "css/new.css": "new"}
    files["images/logo.png"] = "new"
    return package(*entries, others=files | {"upload/a.txt": "new"}).write_zip(tmp_path / "x.zip")


def fill(site):
    """A site with something of each name, and things that the package lacks."""
    template(site, "Same", text="same", version=7)
    template(site, "Changed", text="old", version=7)
    template(site, "Gone", text="gone")
    template(site, "Same", kind="ContentTemplate", text="of another kind")
    template(SiteFactory(), "Same", text="of another site")
    for path, text in {"css/same.css": b"same", "css/changed.css": b"old", "css/gone.css": b"gone"}.items():
        default_storage.save(f"sites/{site.pk}/{path}", ContentFile(text))


TOLD = [
    "added FileTemplate New",
    "added IncludeFile include/head.html",
    "added css/new.css",
    "added images/logo.png",
    "changed ChannelTemplate changed",
    "changed css/changed.css",
]
COUNTS = "added=4 changed=2 unchanged=2"


def rows(site):
    return list(Template.objects.filter(site=site).order_by("pk").values_list("name", "text", "version"))


def test_same_names_are_updated_others_added_and_none_deleted(site, changed_package):
    fill(site)
    assert run(site, changed_package) == [*TOLD, f"siteId={site.pk} {COUNTS}"]
    assert rows(site) == [
        ("Same", "same", 7),
        ("changed", '<stl:include file="/include/head.html">', 8),
        ("Gone", "gone", 1),
        ("Same", "of another kind", 1),
        ("New", "new", 1),
        ("include/head.html", "head", 1),
    ]
    assert Template.objects.get(name="New").page_path == "utils/search.html"
    texts = {name: file_of(site, f"css/{name}.css") for name in ("same", "changed", "new", "gone")}
    assert texts == {"same": b"same", "changed": b"new", "new": b"new", "gone": b"gone"}
    assert not default_storage.exists(f"sites/{site.pk}/upload/a.txt")
    assert MediaFile.objects.get().path == "images/logo.png"
    noted = AuditEntry.objects.get(action="site.templates_imported")
    assert (noted.site_id, noted.details["source"], noted.details["templates"]) == (site.pk, "x.zip", 3)


def test_a_file_of_the_library_that_is_overwritten_is_replaced(site, changed_package):
    default_storage.save(f"sites/{site.pk}/images/logo.png", ContentFile(b"old"))
    record_files(site, ["images/logo.png"])
    assert MediaFile.objects.get().replaced_at is None
    assert "changed images/logo.png" in run(site, changed_package)
    before = MediaFile.objects.get().replaced_at
    run(site, changed_package)
    assert MediaFile.objects.get().replaced_at == before is not None


def test_a_second_run_changes_nothing(site, changed_package):
    run(site, changed_package)
    before = rows(site)
    assert run(site, changed_package) == [f"siteId={site.pk} added=0 changed=0 unchanged=8"]
    assert rows(site) == before
    assert AuditEntry.objects.filter(action="site.templates_imported").count() == 1


def test_a_dry_run_says_the_same_and_writes_nothing(site, changed_package):
    fill(site)
    before = rows(site)
    assert run(site, changed_package, "--dry-run") == [*TOLD, "Nothing was written.", f"siteId={site.pk} {COUNTS}"]
    assert rows(site) == before
    assert file_of(site, "css/changed.css") == b"old"
    assert not default_storage.exists(f"sites/{site.pk}/css/new.css")
    assert not AuditEntry.objects.filter(action="site.templates_imported").exists()


def test_names_that_differ_in_letter_case_only_stay_apart(site, tmp_path):
    home = entry(text='<stl:include file="/Head.html"><stl:include file="/head.html">')
    made = package(home, others={"Head.html": "upper", "head.html": "lower"}).write_folder(tmp_path)
    run(site, made)
    assert run(site, made)[-1].endswith("added=0 changed=0 unchanged=3")
    assert set(Template.objects.filter(kind="IncludeFile").values_list("name", "text")) == {
        ("Head.html", "upper"),
        ("head.html", "lower"),
    }


def test_a_change_of_other_members_raises_the_version(site, tmp_path):
    template(site, "Home", "IndexPageTemplate", text="x", version=4, page_path="index.html")
    made = package(entry(text="x", CreatedFileFullName="@/default.html"))
    assert run(site, made.write_folder(tmp_path))[0] == "changed IndexPageTemplate Home"
    changed = Template.objects.get()
    assert (changed.page_path, changed.version) == ("default.html", 5)


@pytest.mark.parametrize(("default", "expected"), [("True", ["New"]), ("False", ["Own"])])
def test_a_default_of_the_package_replaces_that_of_the_site(site, tmp_path, default, expected):
    template(site, "Own", is_default=True)
    run(site, package(entry("New", "ChannelTemplate", IsDefault=default)).write_folder(tmp_path))
    assert list(Template.objects.filter(is_default=True).values_list("name", flat=True)) == expected


def test_channels_take_the_templates_that_version_1_left_in_their_settings(site, tmp_path):
    settings = {"channelTemplateName": "list", "contentTemplateName": "gone", "colour": "red"}
    channel = ChannelFactory(site=site, channel_template_id=99, content_template_id=98, settings=settings)
    path = package(entry("List", "ChannelTemplate")).write_folder(tmp_path)
    run(site, path)
    first = Template.objects.get()
    found = Channel.objects.get(pk=channel.pk)
    assert (found.channel_template_id, found.content_template_id) == (first.pk, 98)
    assert found.settings == {"contentTemplateName": "gone", "colour": "red"}
    Channel.objects.filter(pk=channel.pk).update(channel_template_id=0)
    run(site, path)
    assert Channel.objects.get(pk=channel.pk).channel_template_id == 0


def test_channels_without_a_template_get_the_one_that_the_package_names(site, tmp_path):
    """An earlier release lost templates whose names begin or end with a blank."""
    own = template(site, "Own", text="own")
    home = Channel.objects.get(pk=site.pk)
    news, other = (ChannelFactory(site=site, parent=home, channel_name=name) for name in ("News", "Other"))
    chosen = ChannelFactory(site=site, parent=news, channel_name="Local", channel_template_id=own.pk)
    twins = [ChannelFactory(site=site, parent=home, channel_name="Twin") for _ in range(2)]
    named = {"ChannelTemplateName": " List", "ContentTemplateName": "Text "}
    channels = {
        "1": feed(old_channel(1, **named)),
        "1_1": feed(old_channel(2, 1, **named) | {"NodeName": " NEWS"}),
        "1_1_1": feed(old_channel(3, 2, **named) | {"NodeName": "Local"}),
        "1_2": feed(old_channel(4, 1, **named) | {"NodeName": "Twin"}),
        "1_3": feed(old_channel(5, 1) | {"NodeName": "Twin"}),
    }
    path = package(entry(" List", "ChannelTemplate"), entry("Text", "ContentTemplate"), channels=channels)
    folder = path.write_folder(tmp_path)
    before = list(site.channels.order_by("pk").values())
    told = run(site, folder, "--dry-run")
    assert f"changed channel {news.pk} News: ChannelTemplate List" in told
    assert list(site.channels.order_by("pk").values()) == before
    assert run(site, folder)[:-1] == told[:-2]
    ids = dict(Template.objects.filter(site=site).values_list("name", "pk"))
    found = {each.pk: (each.channel_template_id, each.content_template_id) for each in site.channels.all()}
    whole = (ids["List"], ids["Text"])
    assert found[home.pk] == found[news.pk] == whole
    assert found[chosen.pk] == (own.pk, ids["Text"])
    assert found[other.pk] == found[twins[0].pk] == found[twins[1].pk] == (0, 0)
    assert run(site, folder)[-1].endswith("changed=0 unchanged=2")


def test_an_unknown_site_and_a_wrong_package_are_refused(site, tmp_path):
    path = package(entry("New"), entry("new")).write_folder(tmp_path)
    with pytest.raises(CommandError, match="entry 2: Another template of this type"):
        run(site, path)
    site.pk += 5_000
    with pytest.raises(CommandError, match=f"There is no site {site.pk}"):
        run(site, path)
    assert Template.objects.count() == 0
