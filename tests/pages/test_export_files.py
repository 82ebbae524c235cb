"""Exports have the uploads that their pages use, and renditions of pictures as files."""

import io
import re
import sqlite3
from urllib.parse import quote

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError
from django.db import OperationalError
from PIL import Image

from contents.models import Content, ContentBody, ContentDraft
from core.lib import clock
from media_library import replaced
from media_library.models import MediaFile, MediaUseFill
from media_library.renditions.requested import signed_query
from media_library.services import record_files
from pages import rendering
from pages.export.links import Links
from pages.export.renditions import original_of, with_files
from pages.export.uses import uploads_in
from pages.models import Template, TemplateKind
from tests.accounts.picture_files import plain, saved
from tests.factories import ChannelFactory, ContentFactory
from tests.media_library.uploads import picture, replace, uploaded
from tests.pages.exporting import Exported, make_museum
from tests.pages.sites import make_template, store

pytestmark = pytest.mark.django_db
RENDITIONS = "/_cms/renditions"


@pytest.fixture
def museum():
    return make_museum()


@pytest.fixture
def exported(museum, tmp_path):
    return Exported(tmp_path / "www" / "museum", museum.site)


def write(content, body):
    ContentBody.objects.filter(content=content).update(text=body)
    Content.objects.filter(pk=content.pk).update(title=f"{content.title} changed")


def uploads(exported):
    return {path.removeprefix("/upload/") for path in exported.files if path.startswith("/upload/")}


def renditions(exported):
    found = exported.files
    return {path.removeprefix(f"{RENDITIONS}/upload/"): found[path] for path in found if path.startswith(RENDITIONS)}


def size_and_format(data):
    found = Image.open(io.BytesIO(data))
    return found.size, found.format


# ---- Uploads


def test_files_of_drafts_the_trash_and_nothing_are_left_out(museum, exported):
    used = ["text.jpg", "data.jpg", "script.jpg", "a b.jpg", "style.jpg", "font.jpg", "design.jpg", "child.css"]
    unused = ["draft.jpg", "unapproved.jpg", "trash.jpg", "nobody.jpg", "text_small.jpg", "text.jpg.txt"]
    for name in [*used, *unused]:
        store(museum.site, f"upload/{name}")
    store(museum.site, "upload/site.css", b"@import 'child.css'; p { background: url(style.jpg) }")
    store(museum.site, "css/further.css", b"p { background: url(../upload/font.jpg) }")
    store(museum.site, "js/site.js", b"show('upload/design.jpg')")
    store(museum.site, "picture.jpg")
    write(
        museum.report,
        "<img src='@/upload/text.jpg'><img src='@/upload/a b.jpg'><link href='@/upload/site.css'>"
        '<p data-pictures="[&quot;\\/museum\\/upload\\/data.jpg&quot;]"></p><script>x = "/upload/SCRIPT.jpg"</script>',
    )
    ContentFactory(channel=museum.about, is_checked=False, content="<img src='@/upload/unapproved.jpg'>")
    ContentFactory(channel=museum.about, is_checked=True, trashed_at=clock.now(), image_url="@/upload/trash.jpg")
    ContentDraft.objects.create(
        content=museum.report,
        site_id=museum.site.pk,
        version=1,
        checked_level=0,
        draft_body="<img src='@/upload/draft.jpg'>",
    )
    _, _, counts = exported.run()
    assert uploads(exported) == {*used, "site.css"}
    assert {"/picture.jpg", "/css/main.css", "/js/site.js"} < exported.files.keys()
    assert (counts["files"], counts["leftOut"]) == (len(used) + 1 + 4, len(unused) + 1)  # images/1.png
    _, _, counts = exported.run("--all-files")
    assert uploads(exported) == {*used, *unused, "site.css", "images/1.png"}
    assert (counts["files"], counts["leftOut"]) == (len(used) + 1 + 4 + len(unused) + 1, 0)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('<a href="/museum/upload/a%20(1).pdf#p2">', "/upload/a (1).pdf"),
        ('<a href="/museum/upload/a (1).pdf">', "/upload/a (1).pdf"),
        ("<a href=/museum/upload/1.pdf>", "/upload/1.pdf"),
        ('<img srcset="upload/1.png 1x, upload/2.png 2x">', "/upload/2.png"),
        ("<p style='background: url(upload/1.png)'>", "/upload/1.png"),
        ('{"image": "https:\\/\\/museum.example\\/upload\\/\\u6e2f.png"}', "/upload/港.png"),
        ('<a href="//share.example/?url=https%3A%2F%2Fmuseum.example%2Fupload%2Fa%20b.png">', "/upload/a b.png"),
        ("show('it\\'s', 'upload/it\\'s.png')", "/upload/it's.png"),
        ("<img src=&#x2F;upload&#x2f;a&amp;b.png>", "/upload/a&b.png"),
        ("<img src='/museum/Upload//images/1.PNG?v=261130094500'>", "/upload/images/1.png"),
        ("upload/upload/1.png", "/upload/upload/1.png"),
        ("<p>upload/1.png</p>", "/upload/1.png"),
        ("url(upload/a\\ b.png)", "/upload/a b.png"),
    ],
)
def test_addresses_in_any_spelling(text, path):
    assert path in uploads_in(text)


@pytest.mark.parametrize("text", ["upload/", "<p>Please upload/send it.</p>", '"/upload/folder/"', "upload 1.png"])
def test_texts_that_are_no_addresses(text):
    assert uploads_in(text) == set()


def test_many_addresses_in_one_line_are_read_once():
    assert len(uploads_in("'upload/1.png'," * 20_000)) < 1000


def test_a_file_that_is_not_used_any_more_is_removed_and_comes_back(museum, exported):
    store(museum.site, "upload/a.jpg", b"bytes")
    for body, found, removed in (("<img src='@/upload/a.jpg'>", {"a.jpg"}, 0), ("", set(), 1)) * 2:
        write(museum.report, body)
        _, _, counts = exported.run()
        assert (uploads(exported), counts["removed"]) == (found, removed)
        exported.run("--since-last")
        assert uploads(exported) == found


def test_a_page_that_fails_keeps_its_files(museum, exported, monkeypatch):
    original = saved(plain((300, 200), (0, 0, 200)), "JPEG")
    store(museum.site, "upload/a.jpg", original)
    store(museum.site, "upload/b.jpg", original)
    write(museum.report, "<img src='@/upload/a.jpg'><img src='@/upload/b.jpg?w=160'>")
    exported.run()
    before = exported.files
    render, failing = rendering.render, f"/contents/{museum.reports.pk}/{museum.report.pk}.html"

    def fail(request, *arguments):
        if request.url.endswith(failing):
            raise ZeroDivisionError
        return render(request, *arguments)

    monkeypatch.setattr(rendering, "render", fail)
    status, _, counts = exported.run()
    assert (status, counts["removed"], exported.files) == (1, 0, before)


def test_an_interrupted_export_continues_with_the_files_of_finished_pages(museum, exported, monkeypatch):
    store(museum.site, "upload/a.jpg")
    write(museum.report, "<img src='@/upload/a.jpg'>")
    monkeypatch.setattr("pages.export.assets.Assets.copy_uploads", fail_once := Failing())
    with pytest.raises(CommandError, match="gone"):
        exported.run()
    assert fail_once.calls and uploads(exported) == set()
    monkeypatch.undo()
    exported.run()
    assert uploads(exported) == {"a.jpg"}


class Failing:
    calls = 0

    def __call__(self, *_arguments, **_options):
        self.calls += 1
        raise OperationalError("gone")


def test_a_folder_of_the_release_before_is_continued(museum, exported):
    exported.run()
    database = sqlite3.connect(exported.folder / ".export/manifest.sqlite3")
    database.executescript("DROP TABLE used; PRAGMA user_version = 1")
    database.close()
    store(museum.site, "upload/a.jpg")
    ContentBody.objects.filter(content=museum.report).update(text="<img src='@/upload/a.jpg'>")
    _, lines, _ = exported.run("--since-last")
    assert "Nothing has changed since the last export." not in lines
    assert uploads(exported) == {"a.jpg"}


def test_a_stored_file_comes_before_a_page_of_its_path(client, museum, exported):
    store(museum.site, "upload/feed.json", b"stored")
    ChannelFactory(site=museum.site, file_path="upload/feed.json")
    exported.run()
    assert exported.files["/upload/feed.json"] == client.get("/museum/upload/feed.json").getvalue() == b"stored"


def test_parts_from_the_service_may_show_files_of_all_public_records(museum, exported):
    for name in ("public (1).jpg", "unapproved.jpg", "channel.jpg", "deleted.jpg"):
        store(museum.site, f"upload/{name}")
    ContentFactory(channel=museum.about, is_checked=True, image_url="@/upload/public (1).jpg")
    ContentFactory(channel=museum.about, is_checked=False, image_url="@/upload/unapproved.jpg")
    ChannelFactory(site=museum.site, image_url="@/upload/channel.jpg")
    ChannelFactory(site=museum.site, image_url="@/upload/deleted.jpg", trashed_at=clock.now())
    exported.run()
    assert uploads(exported) == set()
    exported.run("--service", "https://cms.example.org")
    assert uploads(exported) == {"public (1).jpg", "channel.jpg"}
    MediaUseFill.objects.create(source="content.fields")
    with pytest.raises(CommandError, match="still searches texts"):
        exported.run("--service", "https://cms.example.org")
    exported.run("--service", "https://cms.example.org", "--all-files")
    assert "unapproved.jpg" in uploads(exported)


@pytest.mark.usefixtures("media_folder")
def test_a_replaced_upload_is_copied_again(api, museum, exported):
    file = uploaded(api, museum.site)
    write(museum.report, f"<img src='{file.address}'><img src='{file.address}?w=160'>")
    for options in ([], ["--since-last"]):
        exported.run()
        before, old = exported.files[f"/{file.path}"], renditions(exported)
        new = picture((500, 400), (0, 200 * len(options), 50))
        assert replace(api, file, "other.jpg", new).status_code == 200
        exported.run(*options)
        with default_storage.open(f"sites/{museum.site.pk}/{file.path}") as stored_file:
            stored = stored_file.read()
        assert exported.files[f"/{file.path}"] == stored != before
        assert renditions(exported).keys() == old.keys() and renditions(exported) != old
        page = exported.files[f"/contents/{museum.reports.pk}/{museum.report.pk}.html"].decode()
        mark = f"?v={MediaFile.objects.get(pk=file.pk).replaced_at:%y%m%d%H%M%S}"
        assert re.findall(r"<img src=['\"](.+?)['\"]", page) == [
            f"/museum/{file.path}{mark}",
            f"/museum{RENDITIONS}/{file.path}/w160.jpg{mark}",
        ]


def test_uploads_that_an_import_has_overwritten_are_copied_again(museum, exported, monkeypatch):
    monkeypatch.setattr(replaced, "_MOST", 1)  # addresses of more are not marked
    names = ["a.jpg", "b.jpg", "site.css"]
    for data in (b"former", b"newest"):  # of the same size
        for name in names:
            default_storage.delete(f"sites/{museum.site.pk}/upload/{name}")
            store(museum.site, f"upload/{name}", data)
        record_files(museum.site, [f"upload/{name}" for name in names])
        write(museum.report, "".join(f"<img src='@/upload/{name}'>" for name in names))
        exported.run()
        assert [exported.files[f"/upload/{name}"] for name in names] == [data] * 3


# ---- Renditions


def index(museum, text):
    Template.objects.filter(site=museum.site, kind=TemplateKind.INDEX).update(text=text)
    make_template(museum.site, TemplateKind.INCLUDE, name="include/none.html")  # renews the number of the tree


@pytest.mark.usefixtures("media_folder")
def test_pictures_in_fitting_sizes_are_files(api, client, museum, exported):
    file = uploaded(api, museum.site, "Harbour.jpg", picture((500, 400)))
    index(museum, f"<p><stl:image src='{file.address}'></stl:image></p>")
    exported.run()
    assert b"srcset" not in exported.files["/index.html"] and renditions(exported) == {}
    museum.site.settings["isResponsivePictures"] = True
    museum.site.save()
    _, lines, counts = exported.run()
    page = exported.files["/index.html"].decode()
    folder = f"/museum{RENDITIONS}/{file.path}"
    assert f'src="/museum/{file.path}" ' in page.replace("'", '"')
    assert (
        f'srcset="{folder}/w160.webp 160w, {folder}/w320.webp 320w, {folder}/w480.webp 480w, {folder}/full.webp 500w"'
        in page
    )
    shown = [size_and_format(data) for _, data in sorted(renditions(exported).items())]
    assert shown == [((size), "WEBP") for size in ((500, 400), (160, 128), (320, 256), (480, 384))]
    assert counts["renditions"] == 4 and not any("renditions" in line for line in lines)
    _, _, counts = exported.run()
    assert counts["written"] == 0 and counts["renditions"] == 4
    MediaFile.objects.all().delete()
    default_storage.delete(f"sites/{museum.site.pk}/{file.path}")
    _, lines, counts = exported.run()
    assert renditions(exported) == {} and counts["removed"] == 5
    assert f"/index.html links to /{file.path}, which does not exist." in lines


@pytest.mark.usefixtures("media_folder")
def test_a_picture_in_the_trash_has_no_renditions(api, museum, exported):
    file = uploaded(api, museum.site)
    page = f"/contents/{museum.reports.pk}/{museum.report.pk}.html"
    write(museum.report, f"<img src='{file.address}?w=160'>")
    exported.run()
    assert len(renditions(exported)) == 1 and uploads(exported) == set()
    assert api.delete(f"/api/v1/media/{museum.site.pk}/{file.pk}").status_code == 200
    for options in ([], ["--since-last"]):
        _, lines, _ = exported.run(*options)
        assert renditions(exported) == {}
        assert f"{page} links to /{file.path}, which does not exist." in lines


def test_signed_addresses_and_cuts_are_files(museum, exported):
    halves = plain((1200, 800), (200, 30, 30))
    halves.paste((30, 30, 200), (600, 0, 1200, 800))
    store(museum.site, "upload/a b.jpg", saved(halves, "JPEG"))
    signed = signed_query(f"{museum.site.pk}/upload/a b.jpg", w=333, q=40)
    write(
        museum.report,
        f"<img src='@/upload/a%20b.jpg?{signed.replace('&', '&amp;')}'>"
        f"<img src='@/upload/a%20b.jpg?w=160&amp;h=640&amp;fit=cover&amp;format=avif'>"
        f"<img src='@/upload/a%20b.jpg?w=333&amp;q=1'><img src='@/upload/a%20b.jpg?w=333'>",
    )
    exported.run()
    page = exported.files[f"/contents/{museum.reports.pk}/{museum.report.pk}.html"].decode()
    assert f"/museum{RENDITIONS}/upload/a%20b.jpg/w333-q40.jpg" in page
    assert "/museum/upload/a%20b.jpg?w=333&amp;q=1'" in page and "/museum/upload/a%20b.jpg?w=333'" in page
    found = {name: size_and_format(data) for name, data in renditions(exported).items()}
    assert found == {
        "a b.jpg/w333-q40.jpg": ((333, 222), "JPEG"),
        "a b.jpg/w160h640-cover.avif": ((160, 640), "AVIF"),
    }
    before = renditions(exported)
    values = {"kind": "image", "bytes": 1, "width": 1200, "height": 800}
    row = MediaFile.objects.create(site=museum.site, path="upload/a b.jpg", focal_x=0.9, focal_y=0.5, **values)
    exported.run()
    after = renditions(exported)
    assert after["a b.jpg/w160h640-cover.avif"] != before["a b.jpg/w160h640-cover.avif"]
    red, _, blue = Image.open(io.BytesIO(after["a b.jpg/w160h640-cover.avif"])).convert("RGB").getpixel((80, 320))
    assert red < 80 and blue > 150
    MediaFile.objects.filter(pk=row.pk).delete()
    write(museum.report, "")
    _, _, counts = exported.run()
    assert renditions(exported) == {} and counts["removed"] == 3


@pytest.mark.parametrize("data", [b"no picture", saved(plain((30, 20), 1, "L"), "GIF")])
def test_a_picture_without_renditions_is_itself(museum, exported, data):
    store(museum.site, "upload/odd.gif", data)
    write(museum.report, "<img src='@/upload/odd.gif?w=160'>")
    assert exported.run()[0] == 0
    (found,) = renditions(exported).values()
    assert found == data or size_and_format(found) == ((30, 20), "PNG")


FILE = "/museum/_cms/renditions/upload/1.jpg/w160.jpg"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<img src="/museum/upload/1.jpg?w=160">', f'<img src="{FILE}">'),
        ("<img src=../upload/1.jpg?w=160>", f"<img src={FILE}>"),
        ('<p style="background: url(/museum/upload/1.jpg?w=160)">', f'<p style="background: url({FILE})">'),
        ('<p data-a="[&quot;/museum/upload/1.jpg?w=160&quot;]">', f'<p data-a="[&quot;{FILE}&quot;]">'),
        ('x = "\\/museum\\/upload\\/1.jpg?w=160"', f'x = "{FILE}"'),
        ('"/museum/upload/1.jpg?w=160\\u0026format=jpeg"', f'"{FILE}"'),
        (
            '"\\u003cimg src=\\"/museum/upload/1.jpg?w=160\\"\\u003e"',
            f'"\\u003cimg src=\\"{FILE}\\"\\u003e"',
        ),
        ("'\\u0027/museum/upload/1.jpg?w=160\\u0027'", f"'\\u0027{FILE}\\u0027'"),
        (
            '<img srcset="/museum/upload/1.jpg?w=160 1x, /museum/upload/1.jpg?w=160&amp;v=261130094500 2x">',
            f'<img srcset="{FILE} 1x, {FILE}?v=261130094500 2x">',
        ),
        ("?w=160 .jpg? 1.jpg?", "?w=160 .jpg? 1.jpg?"),
        ('"https://museum.example/upload/1.jpg?w=160"', '"https://museum.example/upload/1.jpg?w=160"'),
        ('"/museum/upload/1.jpg?v=261130094500"', '"/museum/upload/1.jpg?v=261130094500"'),
        ('"/museum/upload//1.jpg?w=160"', '"/museum/upload//1.jpg?w=160"'),
        ('"/museum/upload/1.pdf?w=160"', '"/museum/upload/1.pdf?w=160"'),
    ],
)
def test_addresses_of_renditions_become_those_of_files(html, shown):
    found = with_files(html, "/channels/5.html", 7, "/museum", Links("/museum"))
    assert found == (shown, {FILE.removeprefix("/museum")} if html != shown else set())


def test_names_in_json_have_letters_by_their_numbers():
    html, file = '"/museum/upload/\\u6e2f.jpg?w=160"', "/_cms/renditions/upload/港.jpg/w160.jpg"
    assert with_files(html, "/index.html", 7, "/museum", Links("/museum")) == (f'"/museum{quote(file)}"', {file})


def test_of_a_site_with_its_own_host():
    html = '<img src="https://museum.example/upload/1.jpg?w=160"><img src="/upload/1.jpg?w=160">'
    shown, found = with_files(html, "/index.html", 7, "https://museum.example", Links("https://museum.example"))
    assert shown.count("https://museum.example/_cms/renditions/upload/1.jpg/w160.jpg") == 2 and len(found) == 1


@pytest.mark.parametrize("query", ["w=160", "h=320", "w=160&h=320&fit=cover", "format=auto", "format=avif", "s"])
def test_the_path_of_a_rendition_names_it(query):
    query = signed_query("7/upload/a.b.png", w=7, q=3, format="jpeg") if query == "s" else query
    _, (path,) = with_files(f'"/upload/a.b.png?{query}"', "/index.html", 7, "", Links(""))
    _, (again,) = with_files(f'"/upload/a.b.png?{query}"', "/index.html", 7, "", Links(""))
    original, wanted = original_of(path)
    assert path == again and original == "/upload/a.b.png"
    assert wanted.width == {"w": 160, "s": 7}.get(query[0]) or (7 if "s=" in query else None)


def test_a_long_text_is_read_once():
    html = "a" * 300_000 + ".jpg?w=160" + ".jpg?" * 3000
    assert with_files(html, "/index.html", 7, "", Links(""))[1] == set()
