"""`POST /media/{siteId}`: forms, JSON, equal bytes, and refusals."""

import errno
import hashlib
import threading
from base64 import b64encode

import pytest
from django.db import DatabaseError, connection

from core.lib.media_storage import WholeFiles
from media_library import creation
from media_library.models import MediaFile, MediaFolder
from tests.accounts.forms import FORM, file_part, form, stored, stored_files, text_part
from tests.admin.pages.writing.test_uploads import MP4
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture, send, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder", "stopped_clock")]
PDF = b"%PDF-1.7 leaflet"


@pytest.fixture
def site():
    return SiteFactory(site_dir="harbour")


def in_json(client, site, data=PDF, query="", **members):
    body = {"name": "Leaflet.pdf", "content": b64encode(data).decode()} | members
    return client.post(address(site) + query, body)


def test_answers_every_member(api, site):
    response = send(api, site, ("Harbour at dawn.jpg", picture()), texts=[("alternativeText", "Boats"), ("tags", "a")])
    row = MediaFile.objects.get()
    data = stored(f"sites/{site.pk}/{row.path}")
    assert response.status_code == 200
    assert response.json() == {
        "value": {
            "id": row.pk,
            "siteId": site.pk,
            "url": f"/harbour/{row.path}",
            "address": f"@/{row.path}",
            "name": row.name,
            "path": row.path,
            "kind": "image",
            "contentType": "image/jpeg",
            "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "width": 900,
            "height": 600,
            "duration": None,
            "title": "Harbour at dawn",
            "alternativeText": "Boats",
            "credit": "",
            "focalPoint": None,
            "tags": "a",
            "folderId": 0,
            "uploader": row.uploader,
            "createdDate": "2026-03-01 09:30:00",
            "lastModifiedDate": "2026-03-01 09:30:00",
        },
        "isExisting": False,
    }
    assert row.uploader and row.uploaded_with_key
    assert len(stored_files()) == 3


def test_each_kind_of_file_follows_its_rules(api, site):
    files = [("a.png", picture((30, 20), kind="PNG")), ("b.mp4", MP4), ("c.pdf", PDF)]
    results = send(api, site, *files).json()["results"]
    assert [each["file"]["path"].split("/")[1] for each in results] == ["images", "videos", "files"]


def test_of_several_files_each_has_a_result(api, site):
    results = send(api, site, ("a.pdf", PDF), ("b.exe", b"MZ"), ("c.pdf", PDF), texts=[("credit", "Ann")]).json()[
        "results"
    ]
    assert [each["status"] for each in results] == [200, 400, 200]
    assert results[1]["error"]["code"] == "type_not_taken"
    assert results[0]["file"]["credit"] == "Ann"
    assert results[2] == results[0] | {"isExisting": True}
    assert len(stored_files()) == MediaFile.objects.count() == 1


def test_json_carries_bytes_and_members(api, site):
    folder = MediaFolder.objects.create(site=site, name="Press")
    members = {"title": "Leaflet 2026", "folderId": folder.pk, "focalPoint": {"x": 0.25, "y": 1}}
    record = in_json(api, site, **members).json()["value"]
    assert {name: record[name] for name in members} == members
    assert stored(f"sites/{site.pk}/{record['path']}") == PDF


def test_base64_may_have_lines(api, site):
    assert in_json(api, site, content="JVBERi0x\r\nLjc=\n").status_code == 200
    assert MediaFile.objects.get().bytes == len(b"%PDF-1.7")


# ---- equal bytes


def test_the_same_bytes_are_stored_once(api, site):
    first = send(api, site, ("a.jpg", picture())).json()
    again = send(api, site, ("b.jpg", picture()), texts=[("title", "Other")]).json()
    assert again == first | {"isExisting": True}
    assert MediaFile.objects.count() == 1 and len(stored_files()) == 3


def test_the_stored_bytes_of_a_picture_are_the_same_file(api, site):
    first = uploaded(api, site)
    again = send(api, site, ("again.jpg", stored(f"sites/{site.pk}/{first.path}"))).json()
    assert (again["value"]["id"], again["isExisting"]) == (first.pk, True)


def test_a_copy_is_stored_on_demand(api, site):
    first = uploaded(api, site)
    response = send(api, site, ("a.jpg", picture()), query="?copy=true").json()
    assert response["value"]["id"] != first.pk and not response["isExisting"]


def test_bytes_of_other_sites_and_of_the_trash_are_not_the_same_file(api, site):
    elsewhere = uploaded(api, SiteFactory())
    trashed = uploaded(api, site)
    api.delete(address(site, trashed.pk))
    assert uploaded(api, site).pk not in {elsewhere.pk, trashed.pk}


def test_a_file_deleted_in_between_is_stored(api, site, monkeypatch):
    first, insert = uploaded(api, site), creation._insert

    def delete_first(*args):
        MediaFile.objects.filter(pk=first.pk).update(trashed_at="2026-03-01")
        return insert(*args)

    monkeypatch.setattr(creation, "_insert", delete_first)
    second = uploaded(api, site)
    assert second.pk != first.pk and f"sites/{site.pk}/{second.path}" in stored_files()


@pytest.mark.django_db(transaction=True)
def test_of_two_requests_at_once_one_stores_the_file(client_with_key, site, monkeypatch):
    client, together, answers = client_with_key(), threading.Barrier(2, timeout=10), []
    insert = creation._insert

    def wait(*args):
        together.wait()  # both have found no such file
        return insert(*args)

    monkeypatch.setattr(creation, "_insert", wait)

    def run():
        answers.append(in_json(client, site).json())
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer["isExisting"] for answer in answers) == [False, True]
    assert len({answer["value"]["id"] for answer in answers}) == 1
    assert len(stored_files()) == MediaFile.objects.count() == 1


def test_an_idempotency_key_returns_the_first_response(api, site):
    headers = {"Idempotency-Key": "harbour"}
    first, again = (send(api, site, ("a.jpg", picture()), query="?copy=true", headers=headers) for _ in range(2))
    assert first.json() == again.json() and again.headers["Idempotency-Replayed"] == "true"
    assert MediaFile.objects.count() == 1 and len(stored_files()) == 3


# ---- refusals

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.svg", SVG, "type_not_taken"),
        ("a.html", HTML, "type_not_taken"),
        ("a.jpg", SVG, "not_a_picture"),
        ("a.png", HTML, "not_a_picture"),
        ("a.zip", HTML, "content_differs"),
        ("a.pdf", b"MZ" + PDF, "content_differs"),
        ("a.mp4", PDF, "content_differs"),
        ("a", PDF, "type_not_taken"),
        (".pdf", PDF, "type_not_taken"),
        ("a.pdf", b"", "file_empty"),
        ("a.jpg", b"", "file_empty"),
    ],
)
def test_files_that_the_site_does_not_take_leave_nothing(api, site, name, data, code):
    assert_error(send(api, site, (name, data)), 400, code)
    assert not stored_files() and not MediaFile.objects.exists()


def test_a_polyglot_keeps_only_its_picture(api, site):
    row = uploaded(api, site, "a.jpg", picture((30, 20)) + HTML)
    assert b"script" not in stored(f"sites/{site.pk}/{row.path}")


@pytest.mark.parametrize(
    "name", ["../../a.pdf", "/etc/a.pdf", "..\\..\\a.pdf", "C:\\a.pdf", "a/.trash/b.pdf", "%2e%2e%2fa.pdf"]
)
def test_names_do_not_choose_the_folder(api, site, name):
    kept = SiteFactory(settings={"isFileUploadChangeFileName": False})
    for response in (send(api, kept, (name, PDF)), in_json(api, kept, name=name, query="?copy=true")):
        path = response.json()["value"]["path"]
        assert path.rpartition("/")[0] == "upload/files/2026/03"
        assert not path.rpartition("/")[2].startswith(".")


@pytest.mark.parametrize(
    ("members", "code", "member"),
    [
        ({"content": "no base64!"}, "file_expected", None),
        ({"content": "data:application/pdf;base64,JVBERg=="}, "file_expected", None),
        ({"content": ""}, "file_empty", None),
        ({"content": None}, "file_expected", None),
        ({"name": None}, "file_expected", None),
        ({"name": ".."}, "file_expected", None),
        ({"sourceUrl": "https://www.example.org/a.pdf"}, "file_expected", None),
        ({"title": "t" * 256}, "invalid_value", "title"),
        ({"focalPoint": {"x": 0.5}}, "invalid_value", "focalPoint"),
        ({"focalPoint": {"x": 0.5, "y": 1.5}}, "invalid_value", "focalPoint"),
        ({"focalPoint": {"x": True, "y": 0}}, "invalid_value", "focalPoint"),
        ({"folderId": 77}, "media_folder_not_found", "folderId"),
    ],
)
def test_members_that_cannot_be_read_leave_nothing(api, site, members, code, member):
    assert assert_error(in_json(api, site, **members), 400, code).get("member") == member
    assert not stored_files() and not MediaFile.objects.exists()


def test_a_folder_of_another_site_is_refused(api, site):
    folder = MediaFolder.objects.create(site=SiteFactory(), name="Press")
    assert_error(in_json(api, site, folderId=folder.pk), 400, "media_folder_not_found")


def test_too_large_files_and_bodies_are_refused(api, site, settings):
    small = SiteFactory(settings={"fileUploadTypeMaxSize": 1, "imageUploadTypeMaxSize": 1})
    assert_error(send(api, small, ("a.pdf", PDF + b" " * 1024)), 413, "upload_too_large")
    assert_error(in_json(api, site, PDF + b" " * 800_000), 413, "body_too_large")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    assert_error(send(api, site, ("a.pdf", PDF + b" " * 20_000)), 413, "body_too_large")
    assert not stored_files()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"no form", "file_expected"),
        (form(text_part("title", "t")), "file_expected"),
        (form(*[file_part(PDF, filename="a.pdf")] * 101), "too_many_entries"),
        (form(*[text_part("title", "t")] * 1201), "too_many_entries"),
    ],
)
def test_forms_that_cannot_be_read_are_refused(api, site, body, code):
    assert_error(api.send("POST", address(site), body, FORM), 400, code)


def test_a_form_without_a_boundary_is_refused(api, site):
    refused = api.send("POST", address(site), form(file_part(PDF)), "multipart/form-data")
    assert_error(refused, 400, "body_unreadable")


def test_a_full_disk_leaves_nothing(api, site, monkeypatch):
    write, written = WholeFiles._write, []

    def fail(self, name, content):
        written.append(name)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, name, content)

    monkeypatch.setattr(WholeFiles, "_write", fail)
    assert_error(send(api, site, ("a.jpg", picture())), 503, "storage_full")
    assert len(written) == 2
    assert not stored_files() and not MediaFile.objects.exists()


def test_a_failing_database_leaves_nothing(api, site, monkeypatch):
    def fail(*args, **options):
        raise DatabaseError

    monkeypatch.setattr(creation, "insert", fail)
    assert_error(send(api, site, ("a.jpg", picture())), 500, "server_error")
    assert not stored_files()


def test_a_missing_site_is_404_for_any_body(api):
    assert_error(api.post("/api/v1/media/7", {}), 404, "site_not_found")
    assert_error(api.post("/api/v1/media/7", {}, headers={"Idempotency-Key": "\t"}), 404, "site_not_found")


def test_a_key_needs_the_scope_and_the_site(client_with_key, site):
    other = SiteFactory()
    for scopes in ("Contents", "Media:read"):
        assert_error(in_json(client_with_key(scopes=scopes), site), 401, "scope_missing")
    limited = client_with_key(scopes="Media", site_ids=str(site.pk))
    assert_error(in_json(limited, other), 401, "site_not_allowed")
    assert in_json(limited, site).status_code == 200
