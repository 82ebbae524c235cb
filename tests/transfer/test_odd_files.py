"""Files of packages with unusual names and types: they arrive whole, and nothing in them acts for the service."""

import io
import re
import zipfile
from urllib.parse import quote

import pytest
from django.core.management import call_command

from core.lib.media_storage import ASSETS, RUNNABLE, SHOWN, extension_of
from pages.models import Template
from sites.models import Site
from tests.accounts.forms import keep_media_in, stored, stored_files
from tests.accounts.test_media_storage import CREDENTIALS, object_store, storage_address
from tests.pages.exporting import Exported
from tests.transfer.site_files import bring_in, export
from tests.transfer.test_import_pages import entry, package
from tests.transfer.test_import_site_template import run
from tools.site_templates import feed, old_channel, old_content

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

NAMES = [
    *(
        "通知（二）.docx",
        "《规划》.pdf",
        "一、二.doc",
        "“图”.jpg",
        "〔2020〕3号.pdf",
        "【公告】：1.2 版.pdf",
        "e\u0301.pdf",
    ),
    *("a&b.pdf", "a[1].jpg", "it's.jpg", "100%.pdf", "a%23b.pdf", "C#.txt", "why?.txt", "a;b=c,d.jpg", 'a"b.png'),
    *("a..b.pdf", "{a}$b^c`~@!+.gif", "a.jpg!w", "b.JPG!m160", "c.png@100w", "Logo.SVG", "a<b>|*c.txt", "a:b.txt"),
    f"{'长' * 83}.docx",
]
_TYPES = """
    svg ico csv rtf tif jfif swf m4a wps et dps ofd gz apk xml dwg htc cur less vtt html htm webmanifest psd odt mkv tar
    js css json md epub
"""
TYPES = _TYPES.split()
FILES = {
    **{f"upload/files/2018/1/{name}": name.encode() for name in NAMES},
    **{f"upload/files/a.{each}": each.encode() for each in TYPES},
    **{f"own/a.{each}": each.encode() for each in TYPES},
    "关于我们/简介.html": "<p>简介".encode(),
}
LEFT_OUT = {
    "programs, settings and data of servers": [
        *("a.ASPX", "a.ashx", "a.cshtml", "a.php", "a.jsp", "a.exe", "web.config", "Web.Debug.config", "x.aspx::$DATA"),
        *("x.php（1）", "upload/x.asp!w", "upload/Thumbs.db", "App_Data/site.mdb", "a.sql", "a.bak", "a.log"),
    ],
    "hidden files": [".htaccess", "upload/.user.ini", ".git/config.txt"],
    "files of no known type": [
        "LICENSE",
        "upload/文件",
        "a.",
        "upload/a.文档",
        "web.config.1",
        "index.php.save",
        "db.dmp",
    ],
    "files with a name that cannot be stored": [
        *("a\nb.txt", "a\x7f.txt", "gpj\u202e.txt", f"{'长' * 84}.docx", f"{'d/' * 12}x.txt"),
    ],
    "pages, which the service makes itself, and texts of templates": [
        *("index.html", "channels/7.html", "channels/999_2.html", "contents/7/1.html", "contents/7/55_3.html"),
        *("T_old.html", "Template/T_unused.html", "include/unused.html", "rss/news.xml", "own/page.html"),
    ],
}


def write(path, files=FILES):
    """A package with these files, as a zip."""
    entries = [entry(text="home"), entry("Feed", "FileTemplate", "feed", CreatedFileFullName="@/rss/news.xml")]
    channels = {"1": feed(old_channel(7, FilePath="/own/page.html"), [old_content(1)])}
    made = package(*entries, channels=channels).write_zip(path)
    with zipfile.ZipFile(made, "a") as archive:
        for name, data in files.items():
            archive.writestr(f"T_Harbour/{name}", data)
    return made


def stored_of(site):
    folder = f"sites/{site.pk}/"
    return {name.removeprefix(folder): stored(name) for name in stored_files() if name.startswith(folder)}


@pytest.mark.large
def test_every_file_arrives_whole_also_in_an_object_store(tmp_path, settings, monkeypatch, client):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with object_store() as (url, _end):
        keep_media_in(settings, tmp_path, f"{storage_address(url)}&timeout=60")
        files = {path: data for path, data in FILES.items() if "2018" in path}
        run(write(tmp_path / "x.zip", files))
        assert stored_of(Site.objects.get()) == files
        assert_served(client, files)


def test_every_file_arrives_whole_and_is_served(tmp_path, client):
    *_, last = run(write(tmp_path / "x.zip"))
    assert last.endswith(f" files={len(FILES)} leftOut=0")
    assert stored_of(Site.objects.get()) == FILES
    assert_served(client, FILES)


def assert_served(client, files):
    """Each file is at its address, and could only act in a sandbox."""
    site = Site.objects.get()
    for path, data in files.items():
        extension = extension_of(path)
        page = client.get(f"/harbour/{quote(path)}")
        assert (page.status_code, page.getvalue()) == (200, data), path
        is_shown = extension in SHOWN or extension in ASSETS
        assert page.headers["Content-Disposition"].startswith("inline" if is_shown else "attachment"), path
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in page.headers["Content-Security-Policy"] or extension == "pdf", path
        assert "allow-same-origin" not in page.headers["Content-Security-Policy"]
        may_run = re.search("html|xml|script", page.headers["Content-Type"])
        assert not may_run or extension in RUNNABLE | {"js", "mjs"}, path
        media = client.get(f"/media/sites/{site.pk}/{quote(path)}")
        assert (media.status_code, media.getvalue()) == (200, data), path
        assert media.headers["Content-Type"] == SHOWN.get(extension, "application/octet-stream"), path


def test_a_name_with_an_appendix_has_the_type_before_it(tmp_path, client):
    run(write(tmp_path / "x.zip", {"a.jpg!w": b"", "b.html!x": b"", "c.png（副本）": b"", "d.js~": b""}))
    types = {}
    for path in stored_of(Site.objects.get()):
        page = client.get(f"/harbour/{quote(path)}")
        assert page.getvalue() == b""
        types[path] = page.headers
    assert {path: headers["Content-Type"] for path, headers in types.items()} == {
        "a.jpg!w": "image/jpeg",
        "b.html!x": "text/html; charset=utf-8",
        "c.png（副本）": "image/png",
        "d.js~": "text/javascript; charset=utf-8",
    }
    assert types["b.html!x"]["Content-Security-Policy"] == "sandbox allow-scripts allow-forms allow-popups"


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_files_that_are_left_out_are_told_with_the_reason(tmp_path, options):
    files = {path: b"x" for paths in LEFT_OUT.values() for path in paths}
    files["include/unused.html"] = b"<p><STL:a></STL:a>"
    *told, last = run(write(tmp_path / "x.zip", files | {"a.txt": b""}), *options)
    assert last.endswith(f" files=1 leftOut={len(files)}")
    lines = {line.partition(": ")[0]: line for line in told if line.startswith("Left out")}
    assert lines.keys() == {f"Left out, {reason}" for reason in LEFT_OUT}
    for reason, paths in LEFT_OUT.items():
        assert lines[f"Left out, {reason}"].startswith(f"Left out, {reason}: {len(paths)} (")
    assert ".htaccess" in lines["Left out, hidden files"]
    assert r"a\nb.txt" in lines["Left out, files with a name that cannot be stored"]
    if not options:
        assert set(stored_of(Site.objects.get())) == {"a.txt"}


def test_of_many_names_the_first_are_told(tmp_path):
    told = run(write(tmp_path / "x.zip", {f"a{number:02}.exe": b"" for number in range(25)}))
    (line,) = (line for line in told if line.startswith("Left out"))
    assert line.startswith("Left out, programs, settings and data of servers: 25 (a00.exe, a01.exe, ")
    assert line.endswith(", a19.exe, …)")


def test_pages_by_rules_of_the_site_are_none_of_its_documents(tmp_path):
    files = dict.fromkeys(["n/12.html", "n/12_2.html", "c/port.html", "n/about.html", "docs/12.html"], b"x")
    made = package(
        entry(),
        channels={"1": feed(old_channel(7, NodeIndexName="port"))},
        SettingsXml='{"ContentFilePathRule": "/n/{@ContentID}.html", "ChannelFilePathRule": "/c/{@ChannelIndex}.html"}',
    ).write_zip(tmp_path / "x.zip")
    with zipfile.ZipFile(made, "a") as archive:
        for name, data in files.items():
            archive.writestr(f"T_Harbour/{name}", data)
    assert run(made)[-1].endswith("files=2 leftOut=3")
    assert set(stored_of(Site.objects.get())) == {"n/about.html", "docs/12.html"}


class OldName(zipfile.ZipInfo):
    """A member whose name has an encoding of its own, and no flag for UTF-8."""

    encoding = "gbk"

    def _encodeFilenameFlags(self):
        return self.filename.encode(self.encoding), self.flag_bits & ~0x800


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "ascii"])
def test_names_of_a_zip_may_have_the_encoding_of_chinese_windows(tmp_path, encoding):
    paths = ["upload/a.docx"] if encoding == "ascii" else ["upload/files/2018/1/报名表.docx", "图片.jpg", "乗.txt"]
    include = paths[0].replace("upload/", "include/").rpartition(".")[0] + ".html"
    texts = {**{f"T_Harbour/{path}": path.encode() for path in paths}, f"T_Harbour/{include}": b"head"}
    made = package(entry(text=f'<stl:include file="/{include}">')).write_zip(tmp_path / "x.zip")
    with zipfile.ZipFile(made, "a") as archive:
        for path, text in texts.items():
            member = OldName(path)
            member.encoding = encoding
            archive.writestr(member, text)
    run(made)
    assert stored_of(Site.objects.get()) == {path: path.encode() for path in paths}
    assert Template.objects.get(kind="IncludeFile").name == include


@pytest.mark.django_db(transaction=True)
def test_odd_names_survive_every_way_that_files_take(tmp_path):
    run(write(tmp_path / "x.zip"))
    site = Site.objects.get()
    exported = Exported(tmp_path / "pages", site)
    status, problems, _counts = exported.run("--all-files")
    assert (status, problems) == (0, [])
    assert exported.files.items() >= {f"/{path}": data for path, data in FILES.items()}.items()
    held = export(site, tmp_path / "site.tar")
    assert {name.removeprefix(f"sites/{site.pk}/"): data for name, data in held.files.items()} == FILES
    told, _errors = bring_in(tmp_path / "site.tar", "--site-dir", "copy")
    assert stored_of(Site.objects.get(pk=told["siteId"])) == FILES


@pytest.mark.large
@pytest.mark.django_db(transaction=True)
def test_odd_names_survive_a_backup(tmp_path):
    run(write(tmp_path / "x.zip"))
    call_command("backup", str(tmp_path / "backup.tar"), stdout=io.StringIO())
    out = io.StringIO()
    call_command("verify_backup", str(tmp_path / "backup.tar"), stdout=out)
    assert out.getvalue().endswith("differences=0\n")
