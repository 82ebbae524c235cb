"""The command export_site: what is in the file, and when there is none."""

import base64
import gzip
import hashlib
import io
import json
import stat

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from channels_app.models import Channel
from contents.models import Content
from sites.models import Site
from tests.factories import ContentFactory, SiteFactory
from tests.transfer.site_lines import BODY, PICTURE, export, lines_of, make_site, rows_of
from transfer.whole_site.lines import LineWriter
from transfer.whole_site.members import ROWS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder")]

# What version 1 of the format has. Who changes a row raises the version, and lets files of before be read.
MEMBERS_OF_VERSION_1 = {
    "site": "id siteName siteDir tableName isRoot settings",
    "field": "name label kind choices helpText taxis isOffered",
    "group": "groupName taxis description",
    "tag": "tagName",
    "channel": (
        "id channelName contentModelPluginId contentRelatedPluginIds parentId parentsPath parentsCount childrenCount "
        "isLastNode taxis indexName groupNameCollection addDate imageUrl content filePath channelFilePathRule "
        "contentFilePathRule linkUrl linkType channelTemplateId contentTemplateId keywords description settings "
        "version trashedAt trashedWithId trashedBeforeId lastTaxis"
    ),
    "content": (
        "id channelId addUserName lastEditUserName writingUserName lastEditDate taxis groupNameCollection tags "
        "sourceId referenceId isChecked checkedLevel hits hitsByDay hitsByWeek hitsByMonth lastHitsDate settingsXml "
        "title isTop isRecommend isHot isColor linkUrl addDate subTitle imageUrl videoUrl fileUrl summary author "
        "source addedByKey version trashedAt trashedWithId body"
    ),
}


def test_rows_have_the_members_of_the_version():
    assert {name: " ".join(member.name for member in kind.members) for name, kind in ROWS.items()} == (
        MEMBERS_OF_VERSION_1
    )


def test_holds_the_site_with_all_that_belongs_to_it(tmp_path, stopped_clock):
    site = make_site()
    ContentFactory(title="Of another site")
    lines = export(site, tmp_path / "site.ndjson")
    assert lines[0] == {
        "type": "header",
        "format": "cms-site",
        "version": 1,
        "madeAt": "2026-03-01T09:30:00",
        "timeZone": "UTC",
        "site": {"id": site.pk, "siteName": "Museum 博物馆", "siteDir": "museum"},
    }
    (row,) = rows_of(lines, "site")
    assert row["settings"] == {"charset": "gb2312", "own": {"a": [2], "b": 1}}
    assert [row["name"] for row in rows_of(lines, "field")] == ["colour"]
    assert {row["groupName"] for row in rows_of(lines, "group")} == {"甲", "乙"}
    assert {row["tagName"] for row in rows_of(lines, "tag")} == {"海", "sea", "unused"}
    names = [row["channelName"] for row in rows_of(lines, "channel")]
    assert names[:2] == ["Museum 博物馆", "News"]
    assert sorted(names[2:]) == ["Gone", "Last", "Press"]
    titles = {row["title"]: row for row in rows_of(lines, "content")}
    assert titles.keys() == {"Gone with its channel", "First", "Second", "Third"}
    first = titles["First"]
    assert first["body"] == BODY
    assert first["settingsXml"] == '{"colour":"红"}'
    assert (first["isTop"], first["checkedLevel"], first["hits"], first["version"]) == (True, 2, 7, 5)
    assert titles["Third"]["trashedAt"] is not None


def test_holds_numbers_beyond_64_bits_that_were_stored_once(tmp_path):
    site = make_site()
    for model in (Site, Channel):
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {model._meta.db_table} SET settings = %s", ['{"own": [100000000000000000000]}'])
    lines = export(site, tmp_path / "site.ndjson")
    assert {row["settings"]["own"][0] for row in rows_of(lines, "site") + rows_of(lines, "channel")} == {1e20}


def test_the_last_line_tells_the_counts_and_the_sum_of_all_before_it(tmp_path):
    path = tmp_path / "site.ndjson"
    lines = export(make_site(), path)
    before, last = path.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)
    assert json.loads(last) == {
        "type": "footer",
        "counts": {kind: len(rows_of(lines, kind)) for kind in dict.fromkeys(line["type"] for line in lines[:-1])},
        "sha256": hashlib.sha256(before + b"\n").hexdigest(),
    }


def test_files_are_in_it_in_pieces(tmp_path):
    lines = export(make_site(), tmp_path / "site.ndjson")
    names = {row["name"]: row["size"] for row in rows_of(lines, "file")}
    assert names == {"upload/files/empty.txt": 0, "upload/files/说明 1.txt": 6, "upload/images/a.png": len(PICTURE)}
    start = lines.index(next(line for line in rows_of(lines, "file") if line["name"].endswith("a.png")))
    pieces = [base64.b64decode(line["data"]) for line in lines[start + 1 : start + 4]]
    assert b"".join(pieces) == PICTURE
    assert [len(piece) for piece in pieces] == [262_144, 262_144, len(PICTURE) - 524_288]


def test_can_leave_the_trash_out(tmp_path):
    lines = export(make_site(), tmp_path / "site.ndjson", "--without-trash")
    assert {row["channelName"] for row in rows_of(lines, "channel")} == {"Museum 博物馆", "News", "Press", "Last"}
    assert {row["title"] for row in rows_of(lines, "content")} == {"First", "Second"}


def test_tells_how_much_it_holds(tmp_path):
    site, path, out = make_site(), tmp_path / "site.ndjson.gz", io.StringIO()
    call_command("export_site", site.pk, str(path), stdout=out)
    rows = sum(len(rows_of(lines_of(path), kind)) for kind in ROWS)
    assert out.getvalue() == f"siteId={site.pk} rows={rows} files=3 bytes={path.stat().st_size} path={path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_is_packed_where_its_name_says_so(tmp_path, stopped_clock):
    site = make_site()
    plain, packed = tmp_path / "a.ndjson", tmp_path / "a.ndjson.gz"
    export(site, plain)
    export(site, packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_has_a_dated_name_by_default(tmp_path, monkeypatch, stopped_clock):
    site = make_site()
    monkeypatch.chdir(tmp_path)
    call_command("export_site", site.pk, stdout=io.StringIO())
    assert [one.name for one in tmp_path.iterdir()] == [f"site-{site.pk}-20260301-093000.ndjson.gz"]


def test_goes_to_the_standard_output(tmp_path, capsysbinary, stopped_clock):
    site, errors = make_site(), io.StringIO()
    export(site, tmp_path / "a.ndjson")
    capsysbinary.readouterr()
    call_command("export_site", site.pk, "-", stderr=errors)
    assert capsysbinary.readouterr().out == (tmp_path / "a.ndjson").read_bytes()
    assert errors.getvalue().startswith(f"siteId={site.pk} rows=")


def test_replaces_a_file_only_when_told_to(tmp_path):
    site, path = make_site(), tmp_path / "site.ndjson"
    path.write_text("precious")
    with pytest.raises(CommandError, match="overwrites nothing"):
        export(site, path)
    assert path.read_text() == "precious"
    assert export(site, path, "--force")[0]["type"] == "header"


def test_leaves_nothing_behind_where_it_fails(tmp_path):
    SiteFactory(site_name="Harbour")
    with pytest.raises(CommandError, match=r"There is no site 987654\. Sites are: \d+ \(Harbour\)\."):
        call_command("export_site", 987654, str(tmp_path / "site.ndjson"))
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_tree_that_does_not_reach_its_home_channel(tmp_path):
    site = make_site()
    # A present channel, which goes along without the trash, below one that stays behind.
    gone = Channel.objects.get(site=site, channel_name="Gone")
    Channel.objects.filter(site=site, channel_name="Last").update(parent=gone)
    with pytest.raises(CommandError, match="check_tree --repair"):
        export(site, tmp_path / "site.ndjson", "--without-trash")


def test_names_files_that_no_site_can_have(tmp_path):
    site, errors = make_site(), io.StringIO()
    default_storage.save(f"sites/{site.pk}/upload/no extension", ContentFile(b"x"))
    call_command("export_site", site.pk, str(tmp_path / "a.ndjson"), stdout=io.StringIO(), stderr=errors)
    assert errors.getvalue() == (
        f"'sites/{site.pk}/upload/no extension' is left out, since a file of a site cannot be called so.\n"
    )


def test_leaves_out_files_of_other_sites(tmp_path):
    site = make_site()
    default_storage.save(f"sites/{site.pk}1/upload/other.txt", ContentFile(b"x"))
    names = [row["name"] for row in rows_of(export(site, tmp_path / "a.ndjson"), "file")]
    assert "upload/other.txt" not in names
    assert len(names) == 3


def test_refuses_a_row_that_no_line_can_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("transfer.whole_site.lines.MOST_OF_A_LINE", 3000)
    site = make_site()
    number = Content.objects.get(title="First").pk
    Content.objects.get(pk=number).body.__class__.objects.filter(pk=number).update(text="x" * 4000)
    default_storage.delete(f"sites/{site.pk}/upload/images/a.png")
    with pytest.raises(CommandError, match=rf"The content {number} is too large: its line would have \d+ bytes"):
        export(site, tmp_path / "a.ndjson")


def test_settings_beyond_json_are_named():
    with pytest.raises(Exception, match="The site 7 holds something that no JSON can"):
        LineWriter(io.BytesIO()).write("site", {"id": 7, "settings": {"large": 2**70}})
