"""Templates, uploads and assets in the folder of an installation."""

import os
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from channels_app.models import Channel
from contents.models import Content
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
    assert report.findings["A file is a link or cannot be read; it was left out."].places == [
        "site 1: css/passwords.css"
    ]


def test_files_are_hard_links_and_copies_on_another_disk(moved, small, installation, monkeypatch):
    moved(small, files=installation)
    path = Path(default_storage.path("sites/1/css/site.css"))
    assert path.samefile(installation / "css/site.css")
    path.unlink()

    def refuse(*arguments, **options):
        raise OSError("Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    moved(small, files=installation)
    assert path.read_text() == "body {}" and not path.samefile(installation / "css/site.css")
    report = moved(small, files=installation)
    assert report.outcomes["files"] == {Outcome.UNCHANGED: 3, Outcome.LEFT_OUT: 1}


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
