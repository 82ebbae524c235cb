"""`/media/{siteId}/uploads`: the protocol tus 1.0, with requests as its clients send them."""

import hashlib
import os
import threading
from base64 import b64encode
from datetime import timedelta
from time import time

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from core.lib import clock
from core.lib.media_storage import StorageUnavailable, WholeFiles
from media_library import resumable
from media_library.models import MediaFile, MediaFolder, MediaUpload
from media_library.services import forget_files
from tests.accounts.forms import stored, stored_files
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PORTION = "application/offset+octet-stream"
PDF = b"%PDF-1.7 " + bytes(range(256)) * 40
CORS = {"Origin": "https://www.example.com"}


@pytest.fixture
def site():
    return SiteFactory(site_dir="harbour")


def metadata(**texts):
    return ",".join(f"{name} {b64encode(text.encode()).decode()}" for name, text in texts.items())


def tus(client, method, path, body=b"", content_type=PORTION, **headers):
    sent = {"Tus-Resumable": "1.0.0"} | {name.replace("_", "-"): str(value) for name, value in headers.items()}
    sent = {name: value for name, value in sent.items() if value}
    return client.send(method, path, body, content_type, headers=sent, CONTENT_TYPE=content_type)


SIZE = len(PDF)


def create(client, site, length=SIZE, texts=None, body=b"", **headers):
    texts = {"filename": "Leaflet.pdf"} if texts is None else texts
    content_type = PORTION if body else ""
    given = {"Upload_Length": length, "Upload_Metadata": metadata(**texts)} | headers
    return tus(client, "POST", address(site, "uploads"), body, content_type, **given)


def begun(client, site, **options):
    response = create(client, site, **options)
    assert response.status_code == 201, response.content
    return response.headers["Location"]


def send(client, path, offset, data, **headers):
    return tus(client, "PATCH", path, data, Upload_Offset=offset, **headers)


def offset_of(client, path):
    return int(tus(client, "HEAD", path).headers["Upload-Offset"])


def parts():
    return [name for name in stored_files() if "/.new/" in name]


# ---- the core of the protocol


def test_a_file_arrives_in_portions(api, site):
    created = create(api, site, texts={"filename": "Leaflet.pdf", "filetype": "application/pdf", "tags": "a,b"})
    assert (created.status_code, created.content) == (201, b"")
    path = created.headers["Location"]
    assert path.startswith(address(site, "uploads/")) and created.headers["Upload-Offset"] == "0"
    for start in range(0, len(PDF), 4000):
        response = send(api, path, start, PDF[start : start + 4000])
        assert (response.status_code, response.content) == (204, b"")
        assert "Content-Length" not in response.headers and "Content-Type" not in response.headers
        assert response.headers["Upload-Offset"] == str(min(len(PDF), start + 4000))
        assert response.headers["Tus-Resumable"] == "1.0.0"
    row = MediaFile.objects.get()
    assert stored(f"sites/{site.pk}/{row.path}") == PDF and not parts()
    assert (row.title, row.tags) == ("Leaflet", "a,b") and row.uploader and row.uploaded_with_key
    assert response.headers["X-Media-Id"] == str(row.pk)
    shown = api.get(path).json()["value"]
    assert shown["file"] == api.get(address(site, row.pk)).json()["value"]
    assert (shown["size"], shown["received"]) == (len(PDF), len(PDF))


def test_head_answers_where_to_continue(api, site):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    response = tus(api, "HEAD", path)
    assert (response.status_code, response.content) == (200, b"")
    found = {name: response.headers[name] for name in ("Upload-Offset", "Upload-Length", "Upload-Metadata")}
    assert found == {
        "Upload-Offset": "100",
        "Upload-Length": str(len(PDF)),
        "Upload-Metadata": metadata(filename="Leaflet.pdf"),
    }
    assert response.headers["Cache-Control"] == "no-store" and "X-Media-Id" not in response.headers
    assert api.get(path).json()["value"]["file"] is None


def test_options_tell_what_the_service_can_do(api, site):
    response = api.send("OPTIONS", address(site, "uploads"))
    assert response.status_code == 204
    found = {name: value for name, value in response.headers.items() if name.startswith("Tus-")}
    assert found == {
        "Tus-Resumable": "1.0.0",
        "Tus-Version": "1.0.0",
        "Tus-Extension": "creation,creation-with-upload,expiration,checksum,termination",
        "Tus-Max-Size": str(300 * 1024 * 1024),
        "Tus-Checksum-Algorithm": "sha1,sha256",
    }


def test_pages_of_other_origins_may_use_the_protocol(api, stranger, site):
    asked = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "tus-resumable,upload-offset"}
    allowed = stranger.send("OPTIONS", address(site, "uploads"), headers=CORS | asked).headers
    needed = {"tus-resumable", "upload-offset", "upload-length", "upload-metadata", "upload-checksum", "content-type"}
    assert needed <= set(allowed["Access-Control-Allow-Headers"].split(", "))
    assert {"PATCH", "DELETE"} <= set(allowed["Access-Control-Allow-Methods"].split(", "))
    exposed = set(create(api, site, **CORS).headers["Access-Control-Expose-Headers"].split(", "))
    assert {"location", "upload-offset", "upload-length", "tus-resumable", "upload-expires", "x-media-id"} <= exposed


@pytest.mark.parametrize("version", ["", "0.2.2"])
def test_another_version_is_refused(api, site, version):
    path = begun(api, site)
    for method, target in [("POST", address(site, "uploads")), ("HEAD", path), ("PATCH", path), ("DELETE", path)]:
        response = tus(api, method, target, Tus_Resumable=version)
        assert (response.status_code, response.headers["Tus-Version"]) == (412, "1.0.0")


@pytest.mark.parametrize("offset", [0, 99, 101, len(PDF), len(PDF) + 1, 2**63 - 1])
def test_another_offset_is_a_conflict(api, site, offset):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    assert_error(send(api, path, offset, PDF[100:]), 409, "upload_offset_differs")
    assert offset_of(api, path) == 100


@pytest.mark.parametrize("offset", ["", "-1", "1.5", "x", 2**63])
def test_an_offset_that_is_no_number_is_refused(api, site, offset):
    assert_error(send(api, begun(api, site), offset, PDF), 400, "invalid_value")


@pytest.mark.parametrize("content_type", ["", "application/octet-stream", "application/json"])
def test_another_content_type_is_refused(api, site, content_type):
    response = tus(api, "PATCH", begun(api, site), PDF, content_type, Upload_Offset=0)
    assert_error(response, 415, "upload_media_type")


def test_more_bytes_than_announced_are_refused(api, site):
    path = begun(api, site)
    assert_error(send(api, path, 0, PDF + b"x"), 400, "invalid_value")
    assert offset_of(api, path) == 0 and not parts()


def test_portions_may_be_empty(api, site):
    path = begun(api, site)
    assert send(api, path, 0, b"").headers["Upload-Offset"] == "0"
    send(api, path, 0, PDF)
    response = send(api, path, len(PDF), b"")
    assert (response.status_code, response.headers["X-Media-Id"]) == (204, str(MediaFile.objects.get().pk))
    assert_error(send(api, path, len(PDF), b"x"), 400, "invalid_value")


def test_portions_may_be_larger_than_bodies_of_other_requests(api, site, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024
    assert send(api, begun(api, site), 0, PDF).status_code == 204


def test_short_portions_do_not_become_many_files(api, site, monkeypatch):
    monkeypatch.setattr(resumable, "_PART", 64)
    monkeypatch.setattr(resumable, "_SHORT", 32)
    path = begun(api, site)
    for start in range(0, 600, 5):
        send(api, path, start, PDF[start : start + 5])
    assert len(parts()) == len(MediaUpload.objects.get().parts) <= 600 / 32
    send(api, path, 600, PDF[600:])
    assert stored(f"sites/{site.pk}/{MediaFile.objects.get().path}") == PDF and not parts()


# ---- creation


@pytest.mark.parametrize(
    ("length", "name", "status", "code"),
    [
        (10, "a.exe", 400, "type_not_taken"),
        (10, "a.svg", 400, "type_not_taken"),
        (10, "a", 400, "type_not_taken"),
        (0, "a.pdf", 400, "file_empty"),
        (2**40, "a.pdf", 413, "upload_too_large"),
        (65 * 1024 * 1024, "a.jpg", 413, "upload_too_large"),
    ],
)
def test_what_the_site_does_not_take_is_refused_at_the_beginning(api, site, length, name, status, code):
    assert_error(create(api, site, length=length, texts={"filename": name}), status, code)
    assert not MediaUpload.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"Upload_Length": ""},
        {"Upload_Length": "-1"},
        {"Upload_Length": "", "Upload_Defer_Length": "1"},
        {"Upload_Metadata": ""},
        {"Upload_Metadata": "filename"},
        {"Upload_Metadata": "filename no=base64"},
        {"Upload_Metadata": "filename /w=="},
        {"Upload_Metadata": "filename YS5wZGY=,filename YS5wZGY="},
        {"Upload_Metadata": metadata(filename="a.pdf", title="t" * 256)},
        {"Upload_Metadata": metadata(filename="a.pdf", folderId="x")},
    ],
)
def test_headers_that_cannot_be_read_are_refused(api, site, headers):
    assert_error(create(api, site, **headers), 400, "invalid_value")


def test_metadata_become_the_record(api, site):
    folder = MediaFolder.objects.create(site=site, name="Press")
    texts = {"title": "Leaflet 2026", "alternativeText": "Map — 地图", "credit": "Ann", "folderId": str(folder.pk)}
    further = {"filename": "C:\\a.pdf", "relativePath": "null", "caption": ""}
    send(api, begun(api, site, texts=texts | further), 0, PDF)
    row = MediaFile.objects.get()
    assert (row.title, row.alternative_text, row.credit, row.folder) == (*list(texts.values())[:3], folder)
    assert_error(create(api, site, texts=further | {"folderId": "77"}), 400, "media_folder_not_found")


def test_the_first_portion_may_come_with_the_creation(api, site):
    response = create(api, site, body=PDF[:1000])
    assert response.headers["Upload-Offset"] == "1000"
    assert send(api, response.headers["Location"], 1000, PDF[1000:]).status_code == 204
    whole = create(api, site, length=4, texts={"filename": "a.txt"}, body=b"Open")
    assert whole.headers["X-Media-Id"] == str(MediaFile.objects.latest("pk").pk)


def test_a_creation_whose_portion_is_refused_leaves_nothing(api, site):
    assert_error(create(api, site, body=b"x" * len(PDF)), 400, "content_differs")
    assert not MediaUpload.objects.exists() and not stored_files()


def test_a_key_has_a_limit_of_unfinished_uploads(api, client_with_key, site, monkeypatch):
    monkeypatch.setattr(resumable, "MAX_UNFINISHED", 2)
    path = begun(api, site)
    begun(api, site)
    response = create(api, site)
    assert_error(response, 429, "too_many_uploads")
    assert 86_000 < int(response.headers["Retry-After"]) <= 86_400
    begun(client_with_key(), site)
    send(api, path, 0, PDF)
    begun(api, site)


def test_unfinished_uploads_have_a_limit_of_bytes(api, site, monkeypatch):
    monkeypatch.setattr(resumable, "MAX_UNFINISHED_BYTES", 15_000)
    begun(api, site, length=20_000)
    assert_error(create(api, site, length=1), 429, "too_many_uploads")


# ---- the end


def test_a_picture_is_redrawn(api, site):
    data = picture() + b"<script>alert(1)</script>"
    send(api, begun(api, site, length=len(data), texts={"filename": "Harbour.jpg"}), 0, data)
    row = MediaFile.objects.get()
    assert (row.width, row.height) == (900, 600)
    assert b"script" not in stored(f"sites/{site.pk}/{row.path}") and len(stored_files()) == 3


def test_bytes_that_the_site_has_are_not_stored_again(api, site):
    first = uploaded(api, site, "a.pdf", PDF)
    assert send(api, begun(api, site), 0, PDF).headers["X-Media-Id"] == str(first.pk)
    assert MediaFile.objects.count() == 1 == len(stored_files())


@pytest.mark.parametrize(("name", "code"), [("a.pdf", "content_differs"), ("a.jpg", "not_a_picture")])
def test_a_file_that_is_refused_in_the_end_is_gone(api, site, name, code):
    path = begun(api, site, length=2000, texts={"filename": name})
    send(api, path, 0, b"x" * 1000)
    assert_error(send(api, path, 1000, b"x" * 1000), 400, code)
    assert_error(api.get(path), 404, "upload_not_found")
    assert not stored_files() and not MediaUpload.objects.exists()


def test_a_folder_that_is_deleted_before_the_end_refuses_the_file(api, site):
    folder = MediaFolder.objects.create(site=site, name="Press")
    path = begun(api, site, texts={"filename": "a.pdf", "folderId": str(folder.pk)})
    folder.delete()
    assert_error(send(api, path, 0, PDF), 400, "media_folder_not_found")
    assert not stored_files() and not MediaUpload.objects.exists()


# ---- termination and expiration


def test_delete_ends_an_upload(api, site):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    assert parts()
    assert tus(api, "DELETE", path).status_code == 204
    assert not stored_files() and not MediaUpload.objects.exists()
    for method in ("HEAD", "PATCH", "DELETE"):
        assert tus(api, method, path, Upload_Offset=100).status_code == 404


def test_delete_keeps_a_finished_file(api, site):
    path = begun(api, site)
    send(api, path, 0, PDF)
    assert tus(api, "DELETE", path).status_code == 204
    assert len(stored_files()) == 1 == MediaFile.objects.count()


def expire(path):
    rows = MediaUpload.objects.filter(identifier=path.rpartition("/")[2])
    assert rows.update(expires_at=clock.steady(-timedelta(seconds=1)))


def test_an_upload_expires(api, site):
    assert create(api, site).headers["Upload-Expires"].endswith(" GMT")
    path, other = begun(api, site), begun(api, site)
    send(api, path, 0, PDF[:100])
    send(api, other, 0, PDF[:100])
    expire(path)
    assert tus(api, "HEAD", path).status_code == 404
    assert_error(send(api, path, 100, PDF[100:]), 404, "upload_not_found")
    resumable.purge()
    assert len(parts()) == 1 and not MediaUpload.objects.filter(identifier=path.rpartition("/")[2]).exists()
    assert send(api, other, 100, PDF[100:]).status_code == 204


def test_each_portion_prolongs_an_upload(api, site):
    path = begun(api, site)
    MediaUpload.objects.update(expires_at=clock.steady(timedelta(minutes=1)))
    send(api, path, 0, PDF[:100])
    assert MediaUpload.objects.get().expires_at > clock.steady(timedelta(hours=23))


def test_old_files_that_replace_no_others_any_more_are_deleted(api, site):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    names = [f"sites/{site.pk}/.new/{name}" for name in ("abc0.jpg", "gone/part", "new.jpg")]
    for name in names:
        default_storage.save(name, ContentFile(b"x"))
    for name in set(parts()) - {names[2]}:
        set_back(name)
    resumable.purge()
    assert len(parts()) == 2 and names[2] in parts()
    assert send(api, path, 100, PDF[100:]).status_code == 204


def test_uploads_are_deleted_with_their_site(api, site):
    begun(api, site)
    while forget_files(site.pk):
        pass
    assert not MediaUpload.objects.exists()


def set_back(name):
    before = time() - 90_000
    os.utime(default_storage.path(name), (before, before))


def test_sites_are_looked_at_in_turn(api, monkeypatch):
    monkeypatch.setattr(resumable, "_SITES_AT_A_TIME", 1)
    monkeypatch.setattr(resumable, "_last_site", 0)
    sites = [SiteFactory() for _ in range(2)]
    for site in sites:
        name = f"sites/{site.pk}/.new/abc0.jpg"
        default_storage.save(name, ContentFile(b"x"))
        set_back(name)
    left = []
    for _ in sites:
        resumable.purge()
        left.append(len(parts()))
    assert left == [1, 0]


# ---- checksum


def checksum(algorithm, data):
    return f"{algorithm} {b64encode(hashlib.new(algorithm, data).digest()).decode()}"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_portion_with_another_checksum_is_dropped(api, site, algorithm, monkeypatch):
    monkeypatch.setattr(resumable, "_PART", 300)
    path = begun(api, site)
    wrong = send(api, path, 0, PDF[:1000], Upload_Checksum=checksum(algorithm, PDF))
    assert_error(wrong, 460, "upload_checksum_differs")
    assert offset_of(api, path) == 0 and not parts()
    right = send(api, path, 0, PDF[:1000], Upload_Checksum=checksum(algorithm, PDF[:1000]))
    assert right.headers["Upload-Offset"] == "1000"
    last = send(api, path, 1000, PDF[1000:], Upload_Checksum=checksum(algorithm, PDF[1000:]))
    assert last.status_code == 204 and not parts()
    assert stored(f"sites/{site.pk}/{MediaFile.objects.get().path}") == PDF


@pytest.mark.parametrize("text", ["md5 AAAA", "sha1 no=base64", ""])
def test_a_checksum_that_cannot_be_read_is_refused(api, site, text):
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Upload-Checksum": text}
    response = api.send("PATCH", begun(api, site), PDF, PORTION, headers=headers)
    assert_error(response, 400, "invalid_value")


# ---- who may continue


def test_an_upload_belongs_to_its_key_and_site(api, client_with_key, site):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    other = client_with_key()
    elsewhere = path.replace(f"/{site.pk}/", f"/{SiteFactory().pk}/")
    for client, target in [(other, path), (api, elsewhere), (api, address(site, "uploads", "0"))]:
        assert_error(client.get(target), 404, "upload_not_found")
        for method in ("HEAD", "PATCH", "DELETE"):
            assert tus(client, method, target, PDF[100:], Upload_Offset=100).status_code == 404
    assert offset_of(api, path) == 100
    assert_error(create(api, SiteFactory.build(pk=777)), 404, "site_not_found")


def test_a_key_needs_the_scope(client_with_key, stranger, site):
    assert_error(create(client_with_key(scopes="Media:read"), site), 401, "scope_missing")
    assert_error(create(stranger, site), 401, "key_missing")
    assert_error(stranger.send("OPTIONS", address(site, "uploads")), 401, "key_missing")


# ---- faults


def test_a_full_disk_changes_nothing(api, site, monkeypatch):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    write = WholeFiles._write
    for error, code in [(OSError(28, "No space left on device"), "storage_full"), (StorageUnavailable(), None)]:
        monkeypatch.setattr(WholeFiles, "_write", lambda *args, error=error: fail(error))
        for data in (PDF[100:200], PDF[100:]):
            assert_error(send(api, path, 100, data), 503, code or "storage_unavailable")
            assert offset_of(api, path) == 100 and len(parts()) == 1
    monkeypatch.setattr(WholeFiles, "_write", write)
    assert send(api, path, 100, PDF[100:]).status_code == 204


def fail(error):
    raise error


def test_a_failing_database_changes_nothing(api, site, monkeypatch):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    with monkeypatch.context() as patch:
        patch.setattr("media_library.creation.insert", lambda *args: fail(RuntimeError()))
        assert_error(send(api, path, 100, PDF[100:]), 500, "server_error")
    assert offset_of(api, path) == 100 and len(stored_files()) == 1
    assert send(api, path, 100, PDF[100:]).status_code == 204


def test_an_upload_whose_parts_the_storage_has_lost_is_over(api, site):
    path = begun(api, site)
    send(api, path, 0, PDF[:100])
    default_storage.delete(parts()[0])
    assert_error(send(api, path, 100, PDF[100:]), 404, "upload_not_found")
    assert not MediaUpload.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("size", [500, len(PDF)])
def test_of_two_clients_at_once_one_continues(client_with_key, site, monkeypatch, size):
    client, together, answers = client_with_key(), threading.Barrier(2, timeout=10), []
    path = begun(client, site)
    send(client, path, 0, PDF[:100])
    receive = resumable.receive

    def wait(*args):
        together.wait()  # both have found the offset to be right
        return receive(*args)

    monkeypatch.setattr(resumable, "receive", wait)

    def run():
        answers.append(send(client, path, 100, PDF[100:size]).status_code)
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [204, 409]
    if size < len(PDF):
        monkeypatch.undo()
        assert offset_of(client, path) == size and len(parts()) == 1
        send(client, path, size, PDF[size:])
    assert stored(f"sites/{site.pk}/{MediaFile.objects.get().path}") == PDF
    assert len(stored_files()) == 1
