"""Templates, uploads and assets in the folder of an installation."""

import fcntl
import os
import stat
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from channels_app.models import Channel
from contents.models import Content
from media_library.models import MediaFile
from migration.report import Outcome
from migration.secret_key import find_secret_key
from migration.sources.source import SourceError
from pages.models import Template

pytestmark = pytest.mark.usefixtures("media_folder")


def make_installation(top):
    """Make the folder of an installation with the files of `small_tables`, and return it."""
    files = {
        "T_首页.html": "<stl:include file='@/include/head.html'></stl:include>",
        "include/head.html": "<h1>Head</h1>",
        "index.html": "generated",
        "upload/images/2019/3/1.jpg": "picture",
        "upload/files/run.aspx": "program",
        "css/site.css": "body {}",
        "news/upload/images/2.jpg": "of the site below",
        "news/Template/Content/T_内容.html": "{content.title}",
        "SiteServer/secret.css": "of the installation",
        "web.config": '<configuration><appSettings><add key="SecretKey" value="k3y" /></appSettings></configuration>',
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


@pytest.fixture
def installation(tmp_path):
    top = make_installation(tmp_path / "installation")
    (top / "css/passwords.css").symlink_to("/etc/passwd")
    return top


def stored():
    top = Path(default_storage.location) / "sites"
    return {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}


def test_templates_have_their_ids_texts_and_includes(moved, small, installation):
    report = moved(small, files=installation)
    rows = Template.objects.order_by("pk").values_list("site_id", "kind", "name", "text", "is_default")
    assert set(rows) == {
        (1, "IndexPageTemplate", "首页", "<stl:include file='@/include/head.html'></stl:include>", True),
        (1, "IncludeFile", "include/head.html", "<h1>Head</h1>", False),
        (36, "ContentTemplate", "内容", "{content.title}", True),
    }
    assert Channel.objects.get(pk=37).content_template_id == Template.objects.get(name="内容").pk == 2
    assert report.outcomes["templates"][Outcome.NEW] == 3


def test_uploads_and_assets_come_along_and_nothing_else(moved, small, installation):
    report = moved(small, files=installation)
    assert stored() == {"1/upload/images/2019/3/1.jpg", "1/css/site.css", "36/upload/images/2.jpg"}
    rows = MediaFile.objects.values_list("site_id", "path")
    assert set(rows) == {(1, "upload/images/2019/3/1.jpg"), (36, "upload/images/2.jpg")}
    assert report.findings["A file is a link or cannot be read; it was left out."].places == [
        "site 1: css/passwords.css"
    ]


def test_the_report_names_the_files_that_are_left_out_with_the_reason(moved, small, installation):
    (installation / "contents/37").mkdir(parents=True)
    (installation / "contents/37/5_2.html").write_text("generated")
    (installation / "upload/files/《规划》.pdf").write_text("plan")
    (installation / "about.html").write_text("own")
    Path(os.fsdecode(os.fsencode(installation) + b"/upload/\xb1\xed.doc")).write_text("name in GBK")
    report = moved(small, files=installation)
    assert stored() >= {"1/upload/files/《规划》.pdf", "1/about.html"}
    found = {finding: each.places for finding, each in report.findings.items() if finding.startswith("Left out")}
    assert found == {
        "Left out, programs, settings and data of servers.": ["site 1: upload/files/run.aspx", "site 1: web.config"],
        "Left out, pages, which the service makes itself, and texts of templates.": [
            "site 1: contents/37/5_2.html",
            "site 1: index.html",
        ],
        "Left out, files with a name that cannot be stored.": [r"site 1: upload/\udcb1\udced.doc"],
    }
    assert report.outcomes["files"][Outcome.LEFT_OUT] == 6  # and a link


def test_files_are_copies_with_a_mode_of_their_own(moved, small, installation):
    source, path = installation / "css/site.css", Path(default_storage.path("sites/1/css/site.css"))
    source.chmod(0o666)
    moved(small, files=installation)
    assert not path.samefile(source)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("body {}", 0o640)
    report = moved(small, files=installation)
    assert report.outcomes["files"] == {Outcome.UNCHANGED: 3, Outcome.LEFT_OUT: 4}


def test_a_hard_link_becomes_a_copy(moved, small, installation):
    source, path = installation / "css/site.css", Path(default_storage.path("sites/1/css/site.css"))
    moved(small, files=installation)
    path.unlink()
    path.hardlink_to(source)
    moved(small, files=installation)
    assert path.read_text() == "body {}" and not path.samefile(source)


def test_copies_share_blocks_where_the_disk_can(moved, small, installation, monkeypatch):
    def clone(target, request, source):
        os.pwrite(target, b"shared", 0)

    monkeypatch.setattr(fcntl, "ioctl", clone)
    moved(small, files=installation)
    path = Path(default_storage.path("sites/1/css/site.css"))
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("shared", 0o640)


PRIVATE = (
    *("sscms.json", "AppSettings.json", "appsettings.Production.json", "web.config.txt", "ConnectionStrings.xml"),
    *("App_Data/x.json", "bin/data.json", "plugins/p/config.json", "logs/today.txt", "logs.txt", "css/.env.json"),
    *(
        "backup.zip",
        "db-Backup/1.txt",
        "siteserver.sql.zip",
        "dump.sql.gz",
        "users-backup.csv",
        "old.mdb.rar",
        "news/config.JSON",
        "news/SiteFiles/a.json",
    ),
    *(
        "news/app_data/people.xml",
        "data/password.txt",
        "web.config",
        "site.bak",
        "dump.sql",
        ".git/x.txt",
        "SSCMS.deps.json",
    ),
)
PUBLIC = ("js/config.js", "blog/catalog.json", "css/backup.css", "upload/files/backup.zip", "news/plugins/layer.js")


@pytest.mark.parametrize("below", ["", "wwwroot/"])
def test_configuration_and_data_of_the_installation_stay_behind(moved, small, tmp_path, below):
    top = make_installation(tmp_path / "installation" / below)
    for name in (*PRIVATE, *PUBLIC, "readme.txt", "plugins/menu.js"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("secret")
    report = moved(small, files=tmp_path / "installation")
    own = {"1/upload/images/2019/3/1.jpg", "1/css/site.css", "36/upload/images/2.jpg", "1/readme.txt"}
    own |= {f"36/{name.removeprefix('news/')}" if name.startswith("news/") else f"1/{name}" for name in PUBLIC}
    # A folder plugins beside the programs is that of SiteServer.
    assert stored() == own | ({"1/plugins/menu.js"} if below else set())
    told = "A file of configuration, plug-ins, logs or backups was left out; visitors must not get it."
    assert 15 <= report.findings[told].count <= report.outcomes["files"][Outcome.LEFT_OUT]
    assert report.facts["Public text files and archives"] == "1: site 1: readme.txt"
    assert report.explains("site 1: readme.txt")


def test_a_changed_file_and_a_changed_template_are_updated(moved, small, installation):
    moved(small, files=installation)
    changed = installation / "css/site.css"
    changed.unlink()
    changed.write_text("body { color: red }")
    (installation / "include/head.html").write_text("<h1>New</h1>")
    report = moved(small, files=installation)
    assert Path(default_storage.path("sites/1/css/site.css")).read_text() == "body { color: red }"
    assert Template.objects.get(name="include/head.html").text == "<h1>New</h1>"
    assert report.outcomes["files"][Outcome.UPDATED] == report.outcomes["templates"][Outcome.UPDATED] == 1


def test_a_missing_folder_of_a_site_is_a_finding_and_a_missing_installation_an_error(moved, small, installation):
    (installation / "news").rename(installation / "elsewhere")
    report = moved(small, files=installation)
    assert report.findings["The folder of a site is missing; its templates and files were left out."].count == 1
    with pytest.raises(SourceError, match="no folder"):
        moved(small, files=installation / "nowhere")


def test_the_secret_key_is_in_the_installation_or_in_a_file(installation, tmp_path):
    assert find_secret_key(None, installation) == "k3y"
    (installation / "web.config").unlink()
    (installation / "sscms.json").write_text('\ufeff{"SecurityKey": "v7"}')
    assert find_secret_key(None, installation) == "v7"
    (tmp_path / "key").write_text("own\n")
    assert find_secret_key(tmp_path / "key", installation) == "own"
    with pytest.raises(SourceError):
        find_secret_key(tmp_path / "nothing", None)


def test_old_page_addresses_lead_to_contents_with_new_ids(moved, small, installation, client):
    moved(small, files=installation)
    found = Content.objects.get(title="同号的另一篇")
    answer = client.get("/news/cn/1.html")
    assert (answer.status_code, answer.headers["Location"]) == (301, f"/news/cn/{found.pk}.html")
    assert client.get(answer.headers["Location"]).status_code == 200
    assert client.get("/news/cn/2.html").headers["Location"] == f"/news/cn/{found.pk + 1}.html"
    assert client.get("/news/cn/6.html").status_code == 404  # kept its id, and is not approved
    assert client.get("/contents/2/1.html").status_code == 404  # no template for contents there
