"""`manage.py export_pages`."""

import fcntl
import os

import pytest
from django.core.management import CommandError
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content
from pages import rendering
from pages.models import Template, TemplateKind
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.exporting import PAGES, Exported, make_museum
from tests.pages.sites import make_site, make_template, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def museum():
    return make_museum()


@pytest.fixture
def exported(museum, tmp_path):
    return Exported(tmp_path / "www" / "museum", museum.site)


@pytest.fixture
def renderings(monkeypatch):
    """Paths that are rendered; a rendering raises the error that is set."""
    original, found = rendering.render, Renderings()

    def render(request, *arguments):
        found.paths.append(request.url)
        if found.errors and (error := found.errors.pop(0)) is not None:
            raise error
        return original(request, *arguments)

    monkeypatch.setattr(rendering, "render", render)
    return found


class Renderings:
    def __init__(self):
        self.paths, self.errors = [], []


def served(client, path):
    answer = client.get(f"/museum{path}")
    assert answer.status_code == 200, path
    return answer.getvalue()


def test_every_file_is_as_it_is_served(client, museum, exported):
    status, lines, counts = exported.run()
    files = exported.files
    for path, content in files.items():
        assert content == served(client, path), path
    # Index, search, four channels, five contents, and two further pages each of News and the home channel's list.
    assert {path for path in files if path.startswith("/channels")} == {
        f"/channels/{channel.pk}.html" for channel in (museum.news, museum.reports, museum.talks, museum.about)
    } | {f"/channels/{museum.news.pk}_{number}.html" for number in (2, 3)}
    assert counts["pages"] == 13 and counts["written"] == 14 == len(files)
    assert (status, lines) == (0, [
        "/css/main.css links to /none.png, which does not exist.",
        "/index.html links to /utils/tags.html, which does not exist.",
    ])  # fmt: skip
    assert counts["deadLinks"] == 2


def test_a_link_that_exists_in_another_letter_case(museum, exported):
    museum.site.templates.filter(kind=TemplateKind.INCLUDE).update(
        text="<a href='{stl.siteUrl}/Utils//search.html'></a><img src='@/upload/Images/1.png'>"
    )
    lines = exported.run()[1]
    assert any(
        line.endswith(" links to /Utils//search.html, which does not exist, but /utils/search.html does.")
        for line in lines
    )


def test_only_what_has_changed_is_written(museum, exported):
    exported.run()
    (exported.folder / "mine.html").write_text("of the operator")
    before = {path: path.stat().st_mtime_ns for path in exported.folder.rglob("*.*") if path.is_file()}
    museum.about.channel_name = "Visit"
    Content.objects.filter(pk=museum.contents[0].pk).delete()
    # With it goes the last page number of News.
    removed = f"/contents/{museum.news.pk}/{museum.contents[0].pk}.html"
    store(museum.site, "new.css")
    _, _, counts = exported.run()
    assert counts["removed"] == 2 and removed not in exported.files
    assert "/mine.html" in exported.files and "/new.css" in exported.files
    changed = {path.name for path, time in before.items() if path.exists() and path.stat().st_mtime_ns != time}
    assert "search.html" not in changed and "1.png" not in changed
    assert f"{museum.contents[1].pk}.html" in changed  # it showed the previous content
    assert counts["unchanged"] > 0 < counts["written"]


def test_a_file_that_was_removed_or_changed_is_written_again(exported):
    exported.run()
    files = exported.files
    (exported.folder / "index.html").unlink()
    (exported.folder / "css/main.css").write_text("changed")
    _, _, counts = exported.run()
    assert counts["written"] == 2
    assert exported.files == files


@pytest.mark.parametrize("change", [
    lambda museum: Content.objects.filter(pk=museum.report.pk).update(title="Changed"),
    lambda museum: Template.objects.filter(kind=TemplateKind.INCLUDE).update(text="changed"),
    lambda museum: ContentFactory(channel=museum.about, is_checked=True),
    lambda museum: museum.report.body.__class__.objects.filter(content=museum.report).update(text="changed"),
])  # fmt: skip
def test_since_last_renders_nothing_until_something_changes(museum, exported, renderings, change):
    _, dead, before = exported.run()
    files, renderings.paths[:] = exported.files, []
    Content.objects.filter(pk=museum.report.pk).update(hits=7)
    for _ in range(2):
        status, lines, counts = exported.run("--since-last")
        assert (status, lines) == (0, [*dead, "Nothing has changed since the last export."])
        assert counts["deadLinks"] == before["deadLinks"] == 2
    assert renderings.paths == []
    assert exported.files == files and counts["removed"] == 0
    change(museum)
    exported.run("--since-last")
    assert renderings.paths and exported.files != files


def test_an_interrupted_export_continues(exported, renderings):
    renderings.errors = [*[None] * 6, OperationalError("gone")]
    with pytest.raises(CommandError, match="gone"):
        exported.run()
    first, renderings.paths[:] = renderings.paths[:-1], []
    exported.run()
    assert exported.files.keys() >= {"/index.html"}
    again = [path for path in first if path in renderings.paths]
    assert len(renderings.paths) <= 13 and len(again) <= 6
    _, _, counts = exported.run("--since-last")
    assert counts["pages"] == 13


def test_a_change_in_between_renders_everything_again(museum, exported, renderings):
    renderings.errors = [*[None] * 6, OperationalError("gone")]
    with pytest.raises(CommandError):
        exported.run()
    renderings.paths.clear()
    Content.objects.filter(pk=museum.report.pk).update(title="Changed")
    exported.run()
    assert len(renderings.paths) == 13


def test_a_page_that_fails_keeps_its_file_and_is_tried_again(exported, renderings):
    exported.run()
    index = exported.files["/index.html"]
    renderings.errors = [ZeroDivisionError("division")]
    status, lines, counts = exported.run()
    assert (status, counts["problems"]) == (1, 1)
    assert lines[0] == "/index.html: ZeroDivisionError: division"
    assert exported.files["/index.html"] == index
    renderings.paths.clear()
    status, _, _ = exported.run("--since-last")
    assert (status, renderings.paths) == (0, ["/museum/index.html"])


def test_redirects_are_pages_that_lead_on(museum, exported):
    ChannelFactory(site=museum.site, link_url="https://example.org/?a=1&b=<x>")
    ChannelFactory(site=museum.site, link_url="javascript:alert(1)")
    content = ContentFactory(channel=museum.about, is_checked=True, link_url="@/channels/5.html")
    exported.run()
    pages = [content.decode() for content in exported.files.values() if b"refresh" in content]
    assert len(pages) == 2
    assert 'content="0; url=https://example.org/?a=1&amp;b=&lt;x&gt;"' in pages[0] + pages[1]
    path = f"/contents/{museum.about.pk}/{content.pk}.html"
    assert b'<link rel="canonical" href="/museum/channels/5.html">' in exported.files[path]


def test_redirects_that_never_end_are_left_out(museum, exported):
    one, two = (ChannelFactory(site=museum.site) for _ in range(2))
    for channel, other in ((one, two), (two, one)):
        channel.link_url = f"@/channels/{other.pk}.html"
        channel.save()
    exported.run()
    assert f"/channels/{one.pk}.html" not in exported.files


@pytest.mark.parametrize("path", ["../../out.html", "a/../../../out.html", ".export/lock", "港" * 90,
                                  "css/main.css/x.html", "a\\b.html"])  # fmt: skip
def test_paths_that_are_no_files_here_are_problems(museum, exported, path):
    ChannelFactory(site=museum.site, file_path=path)
    status, lines, counts = exported.run()
    assert (status, counts["problems"]) == (1, 1), lines
    outside = list(exported.folder.parent.parent.rglob("out.html"))
    assert not outside and (exported.folder / ".export/lock").read_bytes() == b""


def test_a_link_out_of_the_folder_is_not_followed(museum, exported, tmp_path):
    exported.run()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", exported.folder / "linked")
    ChannelFactory(site=museum.site, file_path="linked/x.html")
    status, lines, _ = exported.run()
    assert (status, lines[0]) == (1, "/linked/x.html: UnfitPath: A symbolic link leads out of the folder.")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_of_several_records_with_a_path_the_served_one_is_written(client, museum, exported):
    make_template(museum.site, TemplateKind.FILE, name="page", page_path="same.html", text="file template")
    ChannelFactory(site=museum.site, file_path="same.html")
    store(museum.site, "same.html")
    store(museum.site, "other.html")
    exported.run()
    assert exported.files["/same.html"] == served(client, "/same.html") == b"file template"
    assert exported.files["/other.html"] == b"stored"


def test_folders_with_other_files_are_refused(exported):
    exported.folder.mkdir(parents=True)
    (exported.folder / "index.html").write_text("of the operator")
    with pytest.raises(CommandError, match="has files that no export has written"):
        exported.run()
    assert exported.run("--force")[0] == 0


def test_an_export_of_another_site_is_refused(exported):
    exported.run()
    with pytest.raises(CommandError, match="is an export of another site"):
        Exported(exported.folder, make_site()).run("--force")


def test_two_exports_at_once_are_refused(exported):
    exported.run()
    with open(exported.folder / ".export/lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="Another export is writing"):
            exported.run()


def test_a_damaged_manifest_is_named(exported):
    exported.run()
    (exported.folder / ".export/manifest.sqlite3").write_bytes(b"damaged" * 1000)
    with pytest.raises(CommandError, match="cannot be read"):
        exported.run()


def test_a_sitemap_needs_an_address(client, museum, exported):
    exported.run()
    assert "/sitemap.xml" not in exported.files
    exported.run("--url", "https://www.example.org")
    sitemap = exported.files["/sitemap.xml"].decode()
    assert f"<loc>https://www.example.org/museum/channels/{museum.news.pk}.html</loc>" in sitemap
    assert b"Sitemap: https://www.example.org/museum/sitemap.xml" in exported.files["/robots.txt"]
    store(museum.site, "robots.txt", b"of the site")
    exported.run("--url", "https://www.example.org")
    assert exported.files["/robots.txt"] == b"of the site"


@pytest.mark.parametrize("options,message", [
    (["--url", "www.example.org"], "must be a scheme and a host"),
    (["--service", "https://cms.example.org/museum"], "must be a scheme and a host"),
])  # fmt: skip
def test_addresses_are_checked(exported, options, message):
    with pytest.raises(CommandError, match=message):
        exported.run(*options)


def test_sites_that_do_not_exist_or_have_no_templates(tmp_path, museum):
    museum.site.templates.all().delete()
    with pytest.raises(CommandError, match="has no templates"):
        Exported(tmp_path / "a", museum.site).run()
    museum.site.pk = 99
    with pytest.raises(CommandError, match=r"There is no site 99\. Sites are: "):
        Exported(tmp_path / "a", museum.site).run()
    assert not (tmp_path / "a").exists()


def test_statements_do_not_grow_with_the_pages(museum, exported, django_assert_max_num_queries):
    text = PAGES[TemplateKind.CONTENT].replace("isRelatedContents='true'", "")  # a list that differs from page to page
    Template.objects.filter(kind__in=[TemplateKind.CHANNEL, TemplateKind.CONTENT]).update(text=text)
    exported.run()
    for _ in range(15):
        ContentFactory(channel=museum.about, is_checked=True)
    with CaptureQueriesContext(connection) as few:
        exported.run()
    for _ in range(15):
        ContentFactory(channel=museum.about, is_checked=True)
    with django_assert_max_num_queries(len(few) + 5):
        exported.run()
