"""Files that editors upload: who may, what is taken, what becomes of it, and where it is found again."""

import io
import re
import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from PIL import Image

from accounts import avatars
from accounts.models import User
from contents.models import CustomField
from core.lib import clock
from media_library import uploads
from media_library.admin.chooser import ON_A_PAGE
from media_library.kinds import kind_of
from media_library.models import MediaFile
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import opened, plain, saved
from tests.admin.pages.browsing import place
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ContentFactory, SiteFactory, UserFactory

pytestmark = pytest.mark.django_db
MP4 = b"\0\0\0\x18ftypmp42" + bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """Where the files go."""
    keep_media_in(settings, tmp_path / "media")
    return tmp_path / "media"


def upload(client, site, name, data, kind="image", **more):
    sent = {"file": SimpleUploadedFile(name, data), "kind": kind} | more
    return client.post(place("contents_content", "upload", site.pk), sent)


def kept(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def read(answer):
    return b"".join(answer.streaming_content)


def jpeg(size=(900, 600), **options):
    return saved(plain(size, (200, 40, 30)), "JPEG", **options)


def test_a_picture_is_answered_with_its_addresses_and_its_size(highest):
    site = SiteFactory()
    answer = upload(highest, site, "港口 Harbour.JPG", jpeg())
    assert answer.status_code == 200
    told = answer.json()
    assert re.fullmatch(rf"@/upload/images/{clock.now():%Y/%m}/[a-z0-9]{{16}}\.jpg", told["address"])
    assert told["shown"] == told["address"].replace("@/", f"/media/sites/{site.pk}/")
    assert told["name"] == told["address"].rpartition("/")[2]
    assert (told["width"], told["height"]) == (900, 600)
    shown = highest.get(told["shown"])
    assert opened(read(shown)).size == (900, 600)
    assert shown["Content-Type"] == "image/jpeg"
    assert shown["Cache-Control"] == "public, max-age=31536000, immutable"


def test_a_picture_has_smaller_forms_beside_it(highest, folder):
    site = SiteFactory(settings={"photoSmallWidth": 50, "photoMiddleWidth": 300})
    stem = upload(highest, site, "a.jpg", jpeg()).json()["address"].removeprefix("@/").removesuffix(".jpg")
    sizes = {
        name: opened((folder / f"sites/{site.pk}/{stem}{name}.jpg").read_bytes()).size for name in ("_small", "_middle")
    }
    assert sizes == {"_small": (50, 33), "_middle": (300, 200)}
    narrow = upload(highest, site, "a.jpg", jpeg((40, 40))).json()["address"]
    assert [name for name in kept(folder) if narrow.rpartition("/")[2][:16] in name and "_" in name] == []


def test_a_picture_is_upright_no_larger_than_allowed_and_tells_nothing(highest, settings):
    settings.CMS_PICTURE_SIDE = 200
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Camera of Ann"
    answer = upload(highest, SiteFactory(), "a.jpg", jpeg((600, 300), exif=exif)).json()
    assert (answer["width"], answer["height"]) == (100, 200)
    data = read(highest.get(answer["shown"]))
    assert b"Ann" not in data
    assert not opened(data).getexif()


def test_a_picture_of_two_colours_is_made_smaller_in_greys(highest, settings):
    settings.CMS_PICTURE_SIDE = 200
    answer = upload(highest, SiteFactory(), "a.png", saved(plain((600, 300), 1, "1"), "PNG")).json()
    drawn = opened(read(highest.get(answer["shown"])))
    assert (drawn.mode, drawn.size, drawn.getpixel((100, 50))) == ("L", (200, 100), 255)


@pytest.mark.parametrize(("kind", "extension"), [("GIF", "gif"), ("PNG", "png"), ("JPEG", "jpg"), ("BMP", "png")])
def test_a_picture_keeps_its_own_format_whatever_it_is_called(highest, kind, extension):
    answer = upload(highest, SiteFactory(), "picture.jpg", saved(plain((30, 20)), kind)).json()
    assert answer["name"].endswith(f".{extension}")
    assert opened(read(highest.get(answer["shown"]))).format == ("PNG" if kind == "BMP" else kind)


def test_an_animation_keeps_its_frames(highest):
    frames = [Image.new("RGB", (40, 30), (number * 50, 0, 0)) for number in range(4)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=80, comment=b"Ann")
    answer = upload(highest, SiteFactory(), "a.gif", file.getvalue()).json()
    data = read(highest.get(answer["shown"]))
    assert opened(data).n_frames == 4
    assert b"Ann" not in data


def test_transparency_stays(highest):
    picture = Image.new("RGBA", (40, 30), (0, 0, 0, 0))
    answer = upload(highest, SiteFactory(), "a.png", saved(picture, "PNG")).json()
    assert opened(read(highest.get(answer["shown"]))).getpixel((3, 3))[3] == 0


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jpg", b"", "The file is empty."),
        ("a.jpg", b"no picture", "The file is not a complete"),
        ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "The file is not a complete"),
        ("a.swf", b"FWS\x06abc", "The file is not a complete"),
        ("a.html", b"<script>alert(1)</script>", "The file is not a complete"),
        ("a.jpg", jpeg()[:300], "The file is not a complete"),
        ("a.webp", saved(plain((9, 9)), "WEBP"), "The site accepts only files of these types here: gif, jpg, jpeg"),
    ],
)
def test_what_is_no_picture_of_the_sites_types_is_refused(highest, folder, name, data, said):
    answer = upload(highest, SiteFactory(), name, data)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith(said)
    assert kept(folder) == []


def test_a_picture_with_too_many_pixels_is_refused_and_so_is_an_animation_of_many(highest, settings):
    settings.CMS_PICTURE_MAX_PIXELS = 10_000
    assert upload(highest, SiteFactory(), "a.png", saved(plain((101, 100)), "PNG")).status_code == 400
    frames = [Image.new("RGB", (60, 60), (number, 0, 0)) for number in range(4)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    answer = upload(highest, SiteFactory(), "a.gif", file.getvalue())
    assert (answer.status_code, answer.json()["message"]) == (400, "The picture has too many pixels.")


def test_all_pictures_are_drawn_in_one_thread_of_the_process(highest, monkeypatch):
    threads = []

    def noting(work):
        def action(*arguments, **options):
            threads.append(threading.current_thread().name)
            return work(*arguments, **options)

        return action

    monkeypatch.setattr(uploads, "draw", noting(uploads.draw))
    monkeypatch.setattr(avatars, "draw_anew", noting(avatars.draw_anew))
    assert upload(highest, SiteFactory(), "a.png", saved(plain(), "PNG")).status_code == 200
    avatars.replace(User, UserFactory().pk, saved(plain(), "PNG"))
    assert threads == ["lane pictures_0"] * 2


@pytest.mark.parametrize("kind", ["image", "video", "file"])
def test_a_file_over_the_limit_of_the_site_is_refused(highest, folder, kind):
    site = SiteFactory(settings={f"{kind}UploadTypeMaxSize": 2})
    answer = upload(highest, site, {"image": "a.bmp", "video": "a.mp4", "file": "a.txt"}[kind], b"x" * 2049, kind)
    assert answer.status_code == 413
    assert answer.json()["message"] == "The file is too large; at most 2 KB are allowed."
    assert kept(folder) == []


def test_a_file_over_every_limit_of_the_site_is_not_kept_while_it_arrives(highest, folder):
    limits = {f"{kind}UploadTypeMaxSize": 1 for kind in ("image", "video", "file")}
    answer = upload(highest, SiteFactory(settings=limits), "a.mp4", b"x" * 3_000_000, "video")
    assert answer.status_code == 413
    assert kept(folder) == []


def test_of_several_files_only_the_first_is_kept_while_they_arrive(highest, folder, monkeypatch):
    opened = []
    new_file = TemporaryFileUploadHandler.new_file
    monkeypatch.setattr(TemporaryFileUploadHandler, "new_file", lambda *a, **o: (opened.append(a), new_file(*a, **o)))
    files = {f"more{number}": SimpleUploadedFile("a.txt", b"x") for number in range(5)}
    answer = upload(highest, SiteFactory(), "a.txt", b"x", "file", **files)
    assert (answer.status_code, answer.json()["message"]) == (400, "Send one file at a time.")
    assert (len(opened), kept(folder)) == (1, [])


@pytest.mark.parametrize(
    ("by", "folders"),
    [
        ("Year", "{0:%Y}"),
        ("Month", "{0:%Y/%m}"),
        ("Day", "{0:%Y/%m/%d}"),
        ("Chinese", "{0.year}年{0.month}月{0.day}日"),
    ],
)
def test_folders_and_names_follow_the_settings_of_the_site(highest, folder, by, folders):
    site = SiteFactory(
        settings={
            "fileUploadDirectoryName": "/../文件/./docs/",
            "fileUploadDateFormatString": by,
            "isFileUploadChangeFileName": False,
        }
    )
    answer = upload(highest, site, "年 报 (final) ../x<y>.PDF", b"%PDF-1.7 x", "file").json()
    beginning = f"@/文件/docs/{folders.format(clock.now())}/x-y-"
    assert re.fullmatch(re.escape(beginning) + r"[a-z0-9]{6}\.pdf", answer["address"])
    assert kept(folder) == [f"sites/{site.pk}/{answer['address'].removeprefix('@/')}"]
    again = upload(highest, site, "x<y>.PDF", b"%PDF-1.7 y", "file").json()
    assert again["address"] != answer["address"]


@pytest.mark.parametrize(
    "name",
    [
        "a.php",
        "a.exe",
        "a.HTML",
        "a",
        "a.pdf.aspx",
        ".pdf",
        "a.swf",
        "a.jsp",
        "a.svg",
        "a.htm",
        "a.xhtml",
        "a.js",
        "a.xml",
    ],
)
def test_types_that_are_not_listed_or_never_taken_are_refused(highest, folder, name):
    site = SiteFactory(settings={"fileUploadTypeCollection": "pdf,php,exe,aspx,swf,jsp,svg,html,htm,xhtml,js,xml"})
    assert upload(highest, site, name, b"x", "file").status_code == 400
    assert kept(folder) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", b"<html><script>alert(1)</script>"),
        ("a.zip", b"MZ\x90\x00"),
        ("a.docx", b"\xd0\xcf\x11\xe0"),
        ("a.txt", b"\x7fELF"),
        ("a.rar", b"<?php system($_GET[0]);"),
        ("a.xls", b" <!DOCTYPE html>"),
    ],
)
def test_a_file_that_lies_about_what_it_is_is_refused(highest, folder, name, data):
    answer = upload(highest, SiteFactory(), name, data, "file")
    assert answer.status_code == 400
    assert "content does not match its name" in answer.json()["message"]
    assert kept(folder) == []


@pytest.mark.parametrize(
    ("kind", "name", "data", "content_type"),
    [
        ("file", "a.pdf", b"%PDF-1.7", "application/pdf"),
        ("file", "a.txt", b"<script>alert(1)</script>", "text/plain; charset=utf-8"),
        ("file", "a.zip", b"PK\x03\x04", "application/octet-stream"),
        ("video", "a.mp4", MP4, "video/mp4"),
        ("video", "a.webm", b"\x1a\x45\xdf\xa3x", "video/webm"),
    ],
)
def test_what_browsers_would_run_is_handed_out_to_be_kept(highest, kind, name, data, content_type):
    site = SiteFactory(settings={"fileUploadTypeCollection": "pdf,txt,zip"})
    answer = highest.get(upload(highest, site, name, data, kind).json()["shown"])
    assert answer["Content-Type"] == content_type
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("default-src 'none'")
    is_kept = content_type == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;" if is_kept else "inline")
    assert read(answer) == data


# ---- who


def test_who_may_write_contents_of_the_site_may_upload(client):
    own, other = SiteFactory(), SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    assert upload(client, own, "a.jpg", jpeg()).status_code == 200
    assert upload(client, other, "a.jpg", jpeg()).status_code == 404
    client.force_login(administrator_with("contents.add_content"))
    assert upload(client, other, "a.jpg", jpeg()).status_code == 200
    client.force_login(administrator_with("contents.view_content"))
    refused = upload(client, other, "a.jpg", jpeg())
    assert (refused.status_code, refused.json()["message"]) == (404, "You may not upload files to this site.")


def test_an_ended_session_is_told_in_json(client, folder):
    answer = upload(client, SiteFactory(), "a.jpg", jpeg())
    assert (answer.status_code, answer.json()) == (401, {"message": "Your session has ended; sign in again."})
    assert kept(folder) == []


def test_an_upload_needs_the_token_against_forgery(folder):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(AdministratorFactory())
    site = SiteFactory()
    forged = upload(browser, site, "a.jpg", jpeg())
    assert (forged.status_code, forged.json()) == (403, {"message": "The page has expired; reload it."})
    assert kept(folder) == []
    page = browser.get(place("contents_content", "add"), {"channel": site.pk}).content.decode()
    token = re.search('name="csrfmiddlewaretoken" value="([^"]*)"', page)[1]
    sent = {"file": SimpleUploadedFile("a.jpg", jpeg()), "kind": "image"}
    address = place("contents_content", "upload", site.pk)
    assert browser.post(address, sent, headers={"X-CSRFToken": token}).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"kind": "image"},
        {"file": "text", "kind": "image"},
        {"kind": "song", "file": SimpleUploadedFile("a.jpg", b"x")},
        {"file": SimpleUploadedFile("a.jpg", b"x")},
        {"kind": "image", "file": [SimpleUploadedFile("a.jpg", b"x"), SimpleUploadedFile("b.jpg", b"x")]},
    ],
)
def test_a_form_that_is_none_is_told(highest, folder, sent):
    answer = highest.post(place("contents_content", "upload", SiteFactory().pk), sent)
    assert answer.status_code == 400
    assert set(answer.json()) == {"message"}
    assert kept(folder) == []


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"x", "multipart/form-data"),
        (b"{}", "application/json"),
        (b"\xff", "multipart/form-data; boundary=\xff"),
    ],
)
def test_a_body_that_cannot_be_read_is_told(highest, data, content_type):
    answer = highest.generic("POST", place("contents_content", "upload", SiteFactory().pk), data, content_type)
    assert answer.status_code == 400
    assert set(answer.json()) == {"message"}


def test_another_method_is_told(highest):
    answer = highest.put(place("contents_content", "upload", SiteFactory().pk))
    assert (answer.status_code, list(answer.json())) == (405, ["message"])


def test_nothing_is_left_in_the_folder_of_temporary_files(highest, settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    assert upload(highest, SiteFactory(), "a.mp4", MP4, "video").status_code == 200
    assert upload(highest, SiteFactory(), "a.mp4", b"x" * 100, "image").status_code == 400
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


# ---- where they are found


@pytest.fixture
def film(highest):
    """A site with a film, and its address in contents."""
    site = SiteFactory(site_dir="harbour")
    return site, upload(highest, site, "a.mp4", MP4, "video").json()


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [("bytes=0-99", 0, 100), ("bytes=100-", 100, None), ("bytes=-50", -50, None), ("bytes=5-999999", 5, None)],
)
def test_a_player_gets_the_part_that_it_asks_for(client, film, asked, start, stop):
    answer = client.get(film[1]["shown"], headers={"Range": asked})
    part = MP4[start:stop]
    assert answer.status_code == 206
    assert read(answer) == part
    assert answer["Content-Length"] == str(len(part))
    first = MP4.index(part) if start >= 0 else len(MP4) - 50
    assert answer["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(MP4)}"


@pytest.mark.parametrize("asked", ["", "bytes=", "bytes=-", "bytes=x-y", "bytes=0-1,5-6", "lines=0-1", "bytes=٣-٤"])
def test_a_range_that_cannot_be_read_is_passed_over(client, film, asked):
    answer = client.get(film[1]["shown"], headers={"Range": asked})
    assert (answer.status_code, read(answer)) == (200, MP4)
    assert answer["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize("asked", ["bytes=999999-", "bytes=-0", "bytes=9-8"])
def test_a_part_that_there_is_not_is_416(client, film, asked):
    answer = client.get(film[1]["shown"], headers={"Range": asked})
    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{len(MP4)}")


def test_a_head_has_the_headers_of_a_get_and_nothing_is_written(client, film):
    head, answer = client.head(film[1]["shown"]), client.get(film[1]["shown"])
    names = set(answer.headers) - {"X-Request-Id"}
    assert {name: head[name] for name in names} == {name: answer[name] for name in names}
    assert read(answer) == MP4
    assert client.post(film[1]["shown"]).status_code == 405


NOWHERE = """
1 1/ 0/upload/a.mp4 1/upload/none.mp4 1/../../secret_key.txt 1/.hidden.txt 1/upload 1/upload/..%2f..%2fx.txt
x/upload/a.txt 1//a.txt 1/a\\b.txt 1/a%00.txt 1/a%0a.txt 99999999999999999999/a.txt
"""


@pytest.mark.parametrize(
    "path", ["", *NOWHERE.split(), f"1/{'a/' * 40}a.txt", f"1/{'a' * 300}.txt", f"1/{'港' * 86}.txt"]
)
def test_a_path_that_no_file_has_is_404(client, folder, path):
    (folder / "secret_key.txt").parent.mkdir(parents=True, exist_ok=True)
    (folder / "secret_key.txt").write_bytes(b"secret")
    assert client.get(f"/media/sites/{path}").status_code == 404


def test_the_file_is_found_under_the_web_address_of_its_site(film, django_assert_num_queries):
    (site, told), client = film, Client()
    with django_assert_num_queries(1):
        answer = client.get(told["address"].replace("@", site.web_url))
    assert (answer.status_code, read(answer)) == (200, MP4)
    below = SiteFactory(site_dir="boats", parent=site)
    assert client.get(told["address"].replace("@", below.web_url)).status_code == 404


def test_the_root_site_has_its_files_at_the_top(client, highest):
    root = SiteFactory(is_root=True, site_dir="")
    told = upload(highest, root, "a.mp4", MP4, "video").json()
    answer = client.get(told["address"].removeprefix("@"))
    assert (answer.status_code, read(answer)) == (200, MP4)


def test_a_site_with_a_host_of_its_own_has_no_files_under_its_folder(client, highest):
    elsewhere = {"isSeparatedWeb": True, "separatedWebUrl": "https://www.example.com"}
    site = SiteFactory(site_dir="away", settings=elsewhere)
    told = upload(highest, site, "a.mp4", MP4, "video").json()
    assert client.get(told["address"].replace("@", "/away")).status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/admin", 301),
        ("/nothing", 404),
        ("/nothing.html", 404),
        ("/admin/nothing.png", 302),
        ("/API/v1/x.jpg", 404),
        ("/api/v1/x.jpg", 404),
        ("/media/x.jpg", 404),
        ("/" + "a/" * 50 + "x.jpg", 404),
    ],
)
def test_addresses_of_files_hide_no_other(client, db, path, status):
    assert client.get(path).status_code == status


def listed(client, site, **query):
    return client.get(place("contents_content", "upload", site.pk), {"kind": "image", **query}).json()


def _row(path, site, **values):
    values = {"kind": kind_of(path), "bytes": 9} | values
    return MediaFile.objects.create(site=site, path=path, **values)


def names(answer):
    return [each["name"] for each in answer["files"]]


def test_the_files_of_a_site_are_listed_newest_first_by_their_purpose(highest):
    site = SiteFactory()
    first, second = (upload(highest, site, name, jpeg()).json() for name in ("a.jpg", "b.jpg"))
    upload(highest, site, "c.pdf", b"%PDF-1.4", kind="file")
    upload(highest, SiteFactory(), "d.jpg", jpeg())
    _row("upload/scan.tiff", site)  # no browser shows it
    answer = listed(highest, site)
    assert [(each["address"], each["name"]) for each in answer["files"]] == [
        (second["address"], "b"),
        (first["address"], "a"),
    ]
    assert (answer["hasMore"], answer["files"][0]["width"], answer["files"][0]["height"]) == (False, 900, 600)
    shown = highest.get(answer["files"][0]["shown"], headers={"Accept": "image/webp"})
    drawn = opened(read(shown))
    assert (drawn.format, drawn.size) == ("WEBP", (300, 200))
    assert names(listed(highest, site, kind="file")) == ["c"]
    assert names(listed(highest, site, kind="video")) == []


def test_files_are_found_by_words_of_their_texts(highest):
    site = SiteFactory()
    _row("upload/1.jpg", site, title="Quay", alternative_text="Boats at low tide")
    _row("upload/2.jpg", site, title="Quay by night")
    assert names(listed(highest, site, q="quay")) == ["Quay by night", "Quay"]
    (found,) = listed(highest, site, q="tide QUAY")["files"]
    assert found["alternative"] == "Boats at low tide"
    assert listed(highest, site, address="@/upload/1.jpg")["files"] == [found]
    assert listed(highest, SiteFactory(), address="@/upload/1.jpg")["files"] == []


def test_the_list_of_files_has_pages(highest):
    site = SiteFactory()
    for number in range(ON_A_PAGE + 1):
        _row(f"upload/{number:02}.png", site, title=f"{number:02}")
    first, second = listed(highest, site), listed(highest, site, page=2)
    assert (names(second), second["hasMore"]) == (["00"], False)
    assert (len(first["files"]), first["hasMore"]) == (ON_A_PAGE, True)


def test_an_imported_file_with_an_odd_name_is_listed_with_its_address(highest):
    site = SiteFactory()
    _row("upload/images/100% 图#?.jpg", site)
    (found,) = listed(highest, site)["files"]
    assert found["address"] == "@/upload/images/100%25 图%23%3F.jpg"
    assert listed(highest, site, address=found["address"])["files"] == [found]


def test_an_unknown_kind_of_uploads_is_refused(highest):
    answer = highest.get(place("contents_content", "upload", SiteFactory().pk), {"kind": "x"})
    assert (answer.status_code, answer.json()) == (400, {"message": "The purpose of the file is unknown."})


def test_uploads_are_listed_for_those_who_may_write_in_the_site(client):
    client.force_login(administrator_with("contents.view_content"))
    assert client.get(place("contents_content", "upload", SiteFactory().pk)).status_code == 404


@pytest.mark.parametrize("kind", ["image", "video", "file"])
def test_a_custom_field_takes_files(highest, kind):
    content = ContentFactory()
    CustomField.objects.create(site=content.channel.site, name="Logo", folded_name="logo", kind=kind)
    shown = highest.get(place("contents_content", "change", content.pk)).content.decode()
    assert shown.count(f'data-kind="{kind}"') == 2
