"""The command export_site: what is in the file, and when there is none."""

import io
import json
import stat
import tarfile

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from channels_app.models import Channel
from contents.models import Content, ContentBody
from forms.models import Entry, Form
from sites.models import Site
from tests.factories import ContentFactory, SiteFactory
from tests.transfer.site_files import BODY, KINDS, PICTURE, bring_in, export, make_site, read
from transfer.whole_site.tables import STORED

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder")]

# Whoever changes one of these tables makes files of before unreadable: the release notes must say so.
COLUMNS = {
    "site": "id site_name site_dir table_name is_root settings",
    "field": "name label kind choices help_text taxis is_offered",
    "definition": "owner name label kind default choices is_visible taxis",
    "group": "group_name taxis description",
    "tag": "tag_name",
    "template": "id kind name file_name page_path extension is_default text version changed_at",
    "channel": (
        "id channel_name content_model_plugin_id content_related_plugin_ids parent_id parents_path parents_count "
        "children_count is_last_node taxis index_name group_name_collection add_date image_url content file_path "
        "channel_file_path_rule content_file_path_rule link_url link_type channel_template_id content_template_id "
        "keywords description settings version trashed_at trashed_with_id trashed_before_id"
    ),
    "last_taxis": "channel_id taxis",
    "content": (
        "id channel_id add_user_name last_edit_user_name writing_user_name last_edit_date taxis group_name_collection "
        "tags source_id reference_id is_checked checked_level hits hits_by_day hits_by_week hits_by_month "
        "last_hits_date settings_xml title is_top is_recommend is_hot is_color link_url add_date sub_title image_url "
        "video_url file_url summary author source added_by_key version trashed_at trashed_with_id"
    ),
    "body": "content_id text",
    "picture": "content_id small_url middle_url large_url description taxis",
    "former_address": "path channel_id content_id created_at",
    "former_rule": "rule",
    "folder": "id parent_id name channel_id version",
    "file": (
        "path kind bytes sha256 width height duration title alternative_text credit focal_x focal_y tags folder_id "
        "uploader uploaded_with_key created_at changed_at trashed_at missing_since version"
    ),
    "form": (
        "id name title description taxis is_open opens_at closes_at guard blocked_words consent_text public_list "
        "page_size confirmation_subject confirmation_text confirmation_has_values success_text keep_days channel_id "
        "is_limited origin "
        "origin_id created_at updated_at"
    ),
    "form_field": (
        "id form_id key label help_text kind is_required rules choices default taxis is_visible is_listed is_sensitive "
        "gets_confirmation"
    ),
    "entry": (
        "form_id created_at state values spam_at page channel_id content_id consent source reply replied_at replied_by"
    ),
}


def test_rows_have_the_columns_of_the_format():
    found = [" ".join(column.name for column in table.columns) for table in STORED]
    assert dict(zip(KINDS, found, strict=True)) == COLUMNS


def test_holds_the_site_with_all_that_belongs_to_it(tmp_path, stopped_clock):
    site = make_site()
    ContentFactory(title="Of another site")
    held = export(site, tmp_path / "site.tar")
    told = {name: held.manifest[name] for name in ("format", "made_at", "time_zone", "site", "installation")}
    assert told == {
        "format": 1,
        "made_at": "2026-03-01 09:30:00",
        "time_zone": "UTC",
        "site": {"id": site.pk, "site_name": "Museum 博物馆", "site_dir": "museum"},
        "installation": None,
    }
    (row,) = held.rows["site"]
    assert row["settings"] == '{"charset":"gb2312","own":{"a":[2],"b":1}}'
    assert [row["name"] for row in held.rows["field"]] == ["colour"]
    assert {row["group_name"] for row in held.rows["group"]} == {"甲", "乙"}
    assert {row["tag_name"] for row in held.rows["tag"]} == {"海", "sea", "unused"}
    names = [row["channel_name"] for row in held.rows["channel"]]
    assert names[:2] == ["Museum 博物馆", "News"]
    assert sorted(names[2:]) == ["Gone", "Last", "Press"]
    titles = {row["title"]: row for row in held.rows["content"]}
    assert titles.keys() == {"Gone with its channel", "First", "Second", "Third"}
    first = titles["First"]
    assert {row["content_id"]: row["text"] for row in held.rows["body"]}[first["id"]] == BODY
    assert first["settings_xml"] == '{"colour":"红"}'
    assert (first["is_top"], first["checked_level"], first["hits"], first["version"]) == (True, 2, 7, 5)
    assert titles["Third"]["trashed_at"] is not None
    assert [row["choices"] for row in held.rows["definition"]] == ['[["红","red"],["Blue","blue"]]']
    assert {row["name"]: row["text"] for row in held.rows["template"]} == {"Lists": BODY, "include/head.html": ""}
    assert [row["content_id"] for row in held.rows["picture"]] == [first["id"], titles["Third"]["id"]]
    of_gone, *others = [row["path"] for row in held.rows["former_address"]]
    assert of_gone.startswith("/channels/")
    assert others == ["/first.html", "/third.html", "/新闻/"]
    assert [row["rule"] for row in held.rows["former_rule"]] == ["/{@year}/{@contentId}.html"]


def test_holds_numbers_beyond_64_bits_that_were_stored_once_and_an_import_takes_them(tmp_path):
    site = make_site()
    for model in (Site, Channel):
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {model._meta.db_table} SET settings = %s", ['{"own": [100000000000000000000]}'])
    held = export(site, tmp_path / "site.tar")
    assert {json.loads(row["settings"])["own"][0] for row in held.rows["site"] + held.rows["channel"]} == {1e20}
    told, _errors = bring_in(tmp_path / "site.tar", "--site-dir", "copy")
    assert Site.objects.get(pk=told["siteId"]).settings["own"] == [1e20]


def test_holds_no_secret_and_nothing_of_the_installation(tmp_path, settings):
    path = tmp_path / "site.tar"
    export(make_site(), path)
    with tarfile.open(path) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
    assert manifest["installation"] is None
    assert "secret" not in json.dumps(manifest)


def test_files_are_in_it_under_their_names(tmp_path):
    site = make_site()
    folder = f"sites/{site.pk}/upload"
    assert export(site, tmp_path / "site.tar").files == {
        f"sites/{site.pk}/css/style.css": b"p {}",
        f"{folder}/files/empty.txt": b"",
        f"{folder}/files/说明 1.txt": "说明".encode(),
        f"{folder}/images/a.png": PICTURE,
    }


def test_can_leave_the_files_out(tmp_path):
    assert export(make_site(), tmp_path / "site.tar", "--no-media").files == {}


def test_can_leave_the_trash_out(tmp_path):
    held = export(make_site(), tmp_path / "site.tar", "--without-trash")
    assert {row["channel_name"] for row in held.rows["channel"]} == {"Museum 博物馆", "News", "Press", "Last"}
    assert {row["title"] for row in held.rows["content"]} == {"First", "Second"}
    assert [row["path"] for row in held.rows["former_address"]] == ["/first.html", "/新闻/"]


@pytest.mark.parametrize(("options", "mails"), [((), 0), (("--with-entries",), 1)])
def test_holds_forms_and_only_if_asked_for_their_entries(tmp_path, options, mails):
    site = make_site()
    Entry.objects.create(form=Form.objects.create(site=SiteFactory(), name="Of another site"))
    path = tmp_path / "site.tar"
    held = export(site, path, *options)
    assert [row["name"] for row in held.rows["form"]] == ["Contact 联系"]
    assert [row["key"] for row in held.rows["form_field"]] == ["Mail", "kinds"]
    assert [row["values"].count("ada@example.org") for row in held.rows["entry"]] == [1] * mails


def test_tells_how_much_it_holds(tmp_path):
    site, path, out = make_site(), tmp_path / "site.tar", io.StringIO()
    call_command("export_site", site.pk, str(path), stdout=out)
    rows = sum(map(len, read(path).rows.values()))
    assert out.getvalue() == f"siteId={site.pk} rows={rows} files=4 bytes={path.stat().st_size} path={path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_has_a_dated_name_by_default(tmp_path, monkeypatch, stopped_clock):
    site = make_site()
    monkeypatch.chdir(tmp_path)
    call_command("export_site", site.pk, stdout=io.StringIO())
    assert [one.name for one in tmp_path.iterdir()] == [f"site-{site.pk}-20260301-093000.tar"]


def test_goes_to_the_standard_output(tmp_path, capsysbinary, stopped_clock):
    site, errors = make_site(), io.StringIO()
    export(site, tmp_path / "a.tar")
    capsysbinary.readouterr()
    call_command("export_site", site.pk, "-", stderr=errors)
    assert capsysbinary.readouterr().out == (tmp_path / "a.tar").read_bytes()
    assert errors.getvalue().startswith(f"siteId={site.pk} rows=")


def test_replaces_a_file_only_when_told_to(tmp_path):
    site, path = make_site(), tmp_path / "site.tar"
    path.write_text("precious")
    with pytest.raises(CommandError, match="is not overwritten"):
        export(site, path)
    assert path.read_text() == "precious"
    assert export(site, path, "--force").manifest["format"] == 1


def test_leaves_nothing_behind_where_it_fails(tmp_path):
    SiteFactory(site_name="Harbour")
    with pytest.raises(CommandError, match=r"There is no site 987654\. Sites are: \d+ \(Harbour\)\."):
        call_command("export_site", 987654, str(tmp_path / "site.tar"))
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_tree_that_does_not_reach_its_home_channel(tmp_path):
    site = make_site()
    # A present channel, which goes along without the trash, below one that stays behind.
    gone = Channel.objects.get(site=site, channel_name="Gone")
    Channel.objects.filter(site=site, channel_name="Last").update(parent=gone)
    with pytest.raises(CommandError, match="check_tree --repair"):
        export(site, tmp_path / "site.tar", "--without-trash")


def test_names_files_that_no_site_can_have(tmp_path):
    site, errors = make_site(), io.StringIO()
    default_storage.save(f"sites/{site.pk}/upload/no extension", ContentFile(b"x"))
    call_command("export_site", site.pk, str(tmp_path / "a.tar"), stdout=io.StringIO(), stderr=errors)
    assert errors.getvalue() == (
        f"'sites/{site.pk}/upload/no extension' was skipped because it is not a valid name for a file of a site.\n"
    )


def test_leaves_out_files_of_other_sites(tmp_path):
    site = make_site()
    default_storage.save(f"sites/{site.pk}1/upload/other.txt", ContentFile(b"x"))
    names = export(site, tmp_path / "a.tar").files
    assert not [name for name in names if name.endswith("other.txt")]
    assert len(names) == 4


def test_refuses_a_row_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("core.archive.manifest.Manifest.most_of_a_row", 3000)
    site = make_site()
    number = Content.objects.get(title="First").pk
    ContentBody.objects.filter(pk=number).update(text="x" * 4000)
    with pytest.raises(
        CommandError, match=rf"contents\.contentbody {number} is too large: its row would have \d+ bytes"
    ):
        export(site, tmp_path / "a.tar")
    assert list(tmp_path.iterdir()) == []


def test_a_value_beyond_json_is_named(tmp_path, monkeypatch):
    site = make_site()
    monkeypatch.setattr("transfer.whole_site.exporting.SiteWriter.rows", lambda writer, table: [[[7, 2**70]]])
    with pytest.raises(CommandError, match=r"cms_sites\.site 7 has a value that JSON cannot represent"):
        export(site, tmp_path / "a.tar")
