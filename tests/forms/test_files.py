"""Files of visitors: what is taken, where it lies, who gets it, and when it goes."""

import io
import os
import stat
import tarfile
import time
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from core.lib import clock
from core.lib.errors import InvalidInput
from core.lib.media_storage import StorageUnavailable
from core.uploads.pictures import LANE
from forms import doctor_checks, entry_files, file_kinds, services
from forms.models import Entry, EntryFile, Field, Form
from forms.retention import delete_old
from forms.uploads import UPLOADS
from forms.views import MAX_BYTES
from pages.engine.elements.forms import MAX_FILE_BYTES, MAX_FILES
from tests.admin.pages.browsing import noted, place
from tests.admin.world import administrator_with
from tests.factories import SiteFactory
from tests.pages.sites import make_site
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PDF = b"%PDF-1.7\n%%EOF\n"
JPEG = b"\xff\xd8\xff"


@world
def form():
    form = Form.objects.create(site=make_site(site_dir="museum"), name="Apply")
    Field.objects.create(form=form, key="name", label="Name", is_required=True, taxis=1)
    Field.objects.create(form=form, key="cv", label="Papers", kind="file", help_text="All in one", taxis=2)
    Field.objects.create(form=form, key="photo", label="Photo", kind="image", taxis=3)
    return form


def picture(kind="PNG", size=(20, 10), **options):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, kind, **options)
    return file.getvalue()


def document(*parts, data=b"<x/>", packing=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        for part in parts:
            archive.writestr(part, data)
    return file.getvalue()


def docx(*more, **options):
    return document("[Content_Types].xml", "word/document.xml", *more, **options)


def file(name, data, kind="application/octet-stream"):
    return SimpleUploadedFile(name, data, kind)


def send(client, form, values, *, json=True, **headers):
    accept = {"HTTP_ACCEPT": "application/json"} if json else {}
    return client.post(f"/museum/_forms/{form.pk}", {"name": "Ann"} | values, **accept, **headers)


def stored():
    """The names of all files in the private storage, with marks."""
    root = Path(storages["private"].location)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def contents(row):
    return b"".join(entry_files.pieces(row))


def refused(kind, name, data):
    with pytest.raises(InvalidInput) as told:
        file_kinds.accept(kind, name, data)
    return told.value.message


# ---- what is taken


def test_files_come_with_an_entry_and_lie_where_only_the_service_reads_them(client, form):
    answer = send(client, form, {"cv": [file("cv.pdf", PDF), file("list.txt", "Größe 张".encode())], "photo": ""})
    entry = Entry.objects.get(token=answer.json()["id"])
    rows = list(entry.files.order_by("pk"))
    assert [(row.name, row.media_type, row.size) for row in rows] == [
        ("cv.pdf", "application/pdf", len(PDF)),
        ("list.txt", "text/plain", 11),
    ]
    assert contents(rows[0]) == PDF
    assert entry.values[str(rows[0].field_id)] == ["cv.pdf", "list.txt"]
    assert stored() == sorted(row.path for row in rows)
    root = Path(storages["private"].location)
    assert {stat.S_IMODE(path.stat().st_mode) for path in root.rglob("*") if path.is_dir()} == {0o700}
    assert {stat.S_IMODE((root / row.path).stat().st_mode) for row in rows} == {0o600}


def test_a_folder_that_the_service_makes_is_its_own_alone(settings, tmp_path):
    location = tmp_path / "private"
    private = settings.STORAGES["private"] | {"OPTIONS": {"location": str(location)}}
    settings.STORAGES = settings.STORAGES | {"private": private}
    with entry_files.stored() as rows:
        rows.append(EntryFile())
        entry_files.write(rows[0], b"x")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in [location, *location.rglob("*")] if path.is_dir()}
    assert modes == {0o700}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_pictures_are_redrawn_without_what_is_hidden_in_them(kind):
    exif = Image.Exif()
    exif[0x010E] = "at home"
    more = {"pnginfo": PngImagePlugin.PngInfo()} if kind == "PNG" else {}
    sent = picture(kind, exif=exif, **more) + b"<script>alert(1)</script>PK\x03\x04"
    taken = file_kinds.accept("image", "me.gif.PNG", sent)
    assert b"<script" not in taken.data and b"at home" not in taken.data and b"at home" in sent
    assert Image.open(io.BytesIO(taken.data)).format == kind
    assert taken.name.startswith("me.gif.") and taken.media_type == f"image/{kind.lower()}"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cv.pdf", PDF),
        ("cv.docx", docx()),
        ("table.xlsx", document("[Content_Types].xml", "xl/workbook.xml")),
        ("note.TXT", "中文".encode("gb18030")),
        ("invoice.exe.pdf", PDF),
    ],
)
def test_documents_are_taken_as_they_are(name, data):
    assert file_kinds.accept("file", name, data).data == data
    assert "JPG, PNG, WEBP." in refused("image", name, data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("me.png", b"<html><script>alert(1)</script>"),
        ("me.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("me.png", b"<svg/>"),
        ("page.html", b"<html>"),
        ("cv.pdf.exe", PDF),
        ("cv.pdf", b"MZ" + PDF),
        ("cv.pdf", b"<html>" + PDF),
        ("cv.pdf", docx()),
        ("cv.docx", PDF),
        ("cv.docx", document("a.txt")),
        ("cv.docx", document("[Content_Types].xml", "xl/workbook.xml")),
        ("cv.docx", b"<html>" + docx()),
        ("cv.docx", docx()[:40]),
        ("cv.docx", b"PK\x03\x04" + b"\xff" * 500),
        ("macros.docx", docx("word/vbaProject.bin")),
        ("many.docx", docx(*(f"{number}" for number in range(5_000)))),
        ("note.txt", b"a\0b"),
        ("note.txt", b"\xff\xfe\xff"),
        ("note.txt", b""),
        ("old.gif", picture("GIF")),
        ("old.bmp", picture("BMP")),
        ("a", b"x"),
        ("", PDF),
        ("cut.jpg", picture("JPEG")[:60]),
        ("cut.png", picture()[:50]),
    ],
)
def test_forged_and_other_types_are_refused(name, data):
    assert refused("file", name, data)


def test_bombs_are_refused_before_they_unpack(settings):
    settings.CMS_PICTURE_MAX_PIXELS = 100
    assert "too many pixels" in refused("image", "big.png", picture(size=(11, 10)))
    bomb = docx(data=bytes(file_kinds._MAX_UNPACKED // 2 + 1), packing=zipfile.ZIP_DEFLATED)
    assert len(bomb) < MAX_FILE_BYTES and refused("file", "bomb.docx", bomb)


@given(st.text(max_size=300))
def test_no_name_leaves_its_folder_or_hides_its_end(name):
    found = file_kinds.accept("file", f"{name}.pdf", PDF).name
    assert found.endswith(".pdf") and found.isprintable() and len(found) < 255
    assert not set(found) & set('/\\<>:"|?*\r\n') and not found.startswith((".", " "))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/cv.pdf", "cv.pdf"),
        ("C:\\papers\\cv.pdf", "cv.pdf"),
        ("gpj.\u202efdp.pdf", "gpj.fdp.pdf"),
        ("..pdf", "file.pdf"),
        ("x" * 500 + ".pdf", "x" * 100 + ".pdf"),
    ],
)
def test_names_are_cleaned(sent, kept):
    assert file_kinds.accept("file", sent, PDF).name == kept


def test_sizes_and_numbers_are_bounded_and_the_wrong_file_is_named(client, form):
    large = send(client, form, {"cv": [file("a.txt", b"x" * (MAX_FILE_BYTES + 1)), file("b.exe", b"MZ")]})
    assert large.status_code == 400
    told = large.json()["errors"]["cv"]
    assert "“a.txt” is larger than 5 MB." in told and "“b.exe” is not one of these kinds" in told
    many = send(
        client, form, {"cv": [file(f"{number}.pdf", PDF) for number in range(MAX_FILES)], "photo": file("a", b"x")}
    )
    assert many.json()["errors"] == {"photo": f"Choose at most {MAX_FILES} files."}
    exact = send(client, form, {"cv": [file(f"{n}.txt", b"x" * MAX_FILE_BYTES) for n in range(MAX_FILES)]})
    assert exact.status_code == 200 and EntryFile.objects.count() == MAX_FILES
    assert len(stored()) == MAX_FILES


def test_only_forms_with_fields_for_files_read_long_bodies(client, form):
    def code(**values):
        return send(client, form, {"cv": file("cv.txt", b"x" * MAX_BYTES)} | values).json().get("code")

    assert code() is None
    assert code(name="x" * (MAX_BYTES + 1)) == "form_unreadable"
    Field.objects.filter(key="cv").delete()
    assert code() is None
    Field.objects.filter(key="photo").update(is_visible=False)
    assert code() == "form_unreadable"


def test_files_of_other_fields_are_dropped(client, form):
    assert send(client, form, {"name2": file("a.pdf", PDF), "secret": file("b.pdf", PDF)}).status_code == 200
    assert not EntryFile.objects.exists() and stored() == []


def test_a_required_file_must_come(client, form):
    Field.objects.filter(key="cv").update(is_required=True)
    assert send(client, form, {}).json()["errors"] == {"cv": "This is required."}
    assert send(client, form, {"cv": file("cv.pdf", PDF)}).status_code == 200


def test_a_form_is_full_at_some_time(client, form, monkeypatch):
    monkeypatch.setattr("forms.uploads.MAX_OF_FORM", 2 * len(PDF) - 1)
    assert send(client, form, {"cv": file("cv.pdf", PDF)}).status_code == 200
    full = send(client, form, {"name": "Bob", "cv": file("cv.pdf", PDF)})
    assert full.json()["errors"] == {"cv": "The form cannot take further files at present."}
    assert send(client, form, {"name": "Bob"}).status_code == 200


def test_pages_without_scripts_keep_the_text_and_ask_for_the_file_again(client, form):
    answer = send(
        client, form, {"name": "Ann & Bob", "cv": file("cv.exe", b"MZ"), "photo": file("a.png", picture())}, json=False
    )
    shown = answer.content.decode()
    assert answer.status_code == 400 and 'value="Ann &amp; Bob"' in shown
    assert "“cv.exe” is not one of these kinds" in shown and "Please choose the file again." in shown
    assert 'enctype="multipart/form-data"' in shown and not Entry.objects.exists() and stored() == []


def test_the_form_says_what_it_takes(client, form):
    shown = client.get(f"/museum/_forms/{form.pk}").content.decode()
    assert 'type="file" accept=".jpeg,.jpg,.png,.webp,.pdf,.docx,.xlsx,.txt"' in shown
    assert "At most 5 files of up to 5 MB each: JPG, PNG, WEBP</small>" in shown
    form.fields.filter(kind__in=["file", "image"]).delete()
    assert "enctype=" not in client.get(f"/museum/_forms/{form.pk}").content.decode()


def test_busy_pictures_and_a_full_disk_lose_nothing(client, form, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(LANE, "_free", None)
        patched.setattr("core.uploads.bounded_executor.BoundedExecutor._take_place", busy)
        answer = send(client, form, {"photo": file("a.png", picture())})
    assert answer.status_code == 429 and answer.headers["Retry-After"] == "1"

    def full(*_given):
        raise StorageUnavailable

    monkeypatch.setattr("core.lib.media_storage.PrivateFiles._save", full)
    answer = send(client, form, {"cv": file("cv.pdf", PDF)})
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert not Entry.objects.exists()


def busy(_lane):
    from core.lib.errors import LimitReached

    raise LimitReached("busy", "Busy.", wait=1)


# ---- one entry, no orphans


def test_equal_entries_are_one_and_other_files_make_another(client, form):
    first, again, other = (
        send(client, form, {"cv": file("cv.pdf", data)}).json()["id"] for data in (PDF, PDF, PDF + b"more")
    )
    assert first == again != other
    assert stored() == sorted(EntryFile.objects.values_list("path", flat=True)) and len(stored()) == 2


def test_spam_keeps_its_files_until_it_is_deleted(client, form):
    send(client, form, {"cv": file("cv.pdf", PDF), "_website": "x"})
    entry = Entry.objects.get()
    assert entry.state == "spam" and entry.files.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_failure_leaves_no_file(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.confirm", lambda form: 1 / 0)
    assert send(client, form, {"cv": file("cv.pdf", PDF)}).status_code == 500
    assert stored() == [] and not EntryFile.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_crash_between_file_and_row_leaves_what_the_sweep_finds(client, form, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(entry_files, "remove", lambda path: None)
        patched.setattr("forms.receiving.confirm", lambda form: 1 / 0)
        send(client, form, {"cv": file("cv.pdf", PDF)})
    send(client, form, {"name": "Eve", "cv": file("other.pdf", PDF)})
    kept = EntryFile.objects.get().path
    assert len(stored()) == 3  # the file of nobody, its mark, and the other file
    delete_old()
    assert len(stored()) == 3
    grow_old()
    delete_old()
    assert stored() == [kept]


@pytest.mark.django_db(transaction=True)
def test_a_crash_after_a_deletion_leaves_what_the_sweep_finds(client, form, monkeypatch):
    send(client, form, {"cv": file("cv.pdf", PDF)})
    with monkeypatch.context() as patched:
        patched.setattr(entry_files, "remove", lambda path: None)
        Entry.objects.get().delete()
    assert len(stored()) == 2
    grow_old()
    delete_old()
    assert stored() == []


@pytest.mark.django_db(transaction=True)
def test_a_deletion_that_is_taken_back_keeps_the_file(client, form):
    send(client, form, {"cv": file("cv.pdf", PDF)})
    with transaction.atomic():
        Entry.objects.get().delete()
        transaction.set_rollback(True)
    grow_old()
    delete_old()
    assert contents(EntryFile.objects.get()) == PDF and len(stored()) == 1


def grow_old():
    """Let all marks be older than an hour."""
    for path in Path(storages["private"].location).glob("marks/*"):
        os.utime(path, (time.time() - 3_700,) * 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["entry", "form", "site", "days", "spam"])
def test_files_go_with_what_they_belong_to(client, form, way):
    send(client, form, {"cv": file("cv.pdf", PDF)})
    entry = Entry.objects.get()
    if way == "entry":
        services.delete_entry(entry)
    elif way == "form":
        services.delete_form(form)
    elif way == "site":
        Form.objects.filter(site=form.site).delete()
    else:
        Form.objects.update(keep_days=1)
        old = clock.now() - timedelta(days=40)
        Entry.objects.update(**({"created_at": old} if way == "days" else {"spam_at": old, "state": "spam"}))
        delete_old()
    assert not EntryFile.objects.exists() and stored() == []


# ---- before the entry


def upload(client, form, data=PDF, name="cv.pdf", key="cv", **query):
    address = f"/api/v1/forms/actions/upload?siteId={form.site_id}&formId={form.pk}&attributeName={key}"
    return client.post(address, {"file": file(name, data)}, **query)


@pytest.mark.django_db(transaction=True)
def test_a_file_sent_before_counts_for_one_entry(client, form):
    told = upload(client, form).json()
    assert told == {"attributeName": "cv", "virtualUrl": told["fileUrl"], "fileUrl": told["fileUrl"]}
    token = told["fileUrl"]
    assert client.get(f"/{token}").status_code == 404
    first = client.post(f"/museum/_forms/{form.pk}", {"name": "Ann", "cv": token}, "application/json")
    entry = Entry.objects.get(token=first.json()["id"])
    assert [row.name for row in entry.files.all()] == ["cv.pdf"]
    assert entry.values[str(form.fields.get(key="cv").pk)] == ["cv.pdf"]
    again = client.post(f"/museum/_forms/{form.pk}", {"name": "Ann", "cv": token}, "application/json")
    assert again.json()["id"] == first.json()["id"]
    stolen = client.post(f"/museum/_forms/{form.pk}", {"name": "Eve", "cv": token}, "application/json")
    assert stolen.status_code == 400 and Entry.objects.count() == 1


def test_of_two_entries_at_once_one_gets_the_file(client, form, monkeypatch):
    token = upload(client, form).json()["fileUrl"]
    other = Entry.objects.create(form=form)
    # After the file was found, and before the entry is stored.
    monkeypatch.setattr("forms.receiving.count", lambda *_given: EntryFile.objects.update(entry=other))
    late = client.post(f"/museum/_forms/{form.pk}", {"name": "Eve", "cv": token}, "application/json")
    assert (late.status_code, late.json()["code"]) == (400, "file_refused")
    assert Entry.objects.get() == other


@pytest.mark.parametrize("which", ["field", "form", "unknown", "address", "name"])
def test_tokens_of_other_places_are_refused(client, form, which):
    other = Form.objects.create(site=form.site, name="Other")
    Field.objects.create(form=other, key="cv", label="CV", kind="file")
    token = {
        "field": lambda: upload(client, form, picture(), "a.png", "photo").json()["fileUrl"],
        "form": lambda: upload(client, other).json()["fileUrl"],
        "unknown": lambda: "8c8ff1f4-0000-4000-8000-000000000000",
        "address": lambda: "@/upload/cv.pdf",
        "name": lambda: "cv.pdf",
    }[which]()
    answer = client.post(f"/museum/_forms/{form.pk}", {"name": "Ann", "cv": token}, "application/json")
    assert answer.json()["errors"] == {"cv": "Please choose the file again."}
    assert not Entry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_files_without_an_entry_go_after_an_hour(client, form):
    upload(client, form)
    delete_old()
    assert len(stored()) == 1
    EntryFile.objects.update(created_at=clock.now() - timedelta(minutes=61))
    delete_old()
    assert stored() == [] and not EntryFile.objects.exists()


def test_uploads_are_limited_and_checked(client, form, monkeypatch):
    monkeypatch.setattr("forms.receiving.FILES_PER_MINUTE", 3)
    assert "is not one of these" in upload(client, form, b"MZ", "a.exe").json()["message"]
    assert "larger" in upload(client, form, b"x" * (MAX_FILE_BYTES + 1), "a.txt").json()["message"]
    assert upload(client, form).status_code == 200
    limited = upload(client, form)
    assert limited.status_code == 429 and int(limited.headers["Retry-After"]) > 0
    assert upload(client, form, REMOTE_ADDR="192.0.2.9").status_code == 200


@pytest.mark.parametrize(
    "query", ["", "siteId=1&formId=x&attributeName=cv", f"siteId={10**30}&formId=1&attributeName=cv"]
)
def test_uploads_for_nothing_are_not_found(client, form, query):
    assert client.post(f"/api/v1/forms/actions/upload?{query}", {"file": file("cv.pdf", PDF)}).status_code == 404


def test_uploads_need_a_field_for_files_and_an_open_form(client, form):
    assert upload(client, form, key="name").status_code == 400
    assert client.post(
        f"/api/v1/forms/actions/upload?siteId={form.site_id}&formId={form.pk}&attributeName=cv", {"file": "text"}
    ).json() == {"message": "Choose a file."}
    Form.objects.update(is_open=False)
    assert upload(client, form).json() == {"message": "This form is closed."}
    assert not EntryFile.objects.exists()


@world
def plugin():
    form = Form.objects.create(site=SiteFactory(), name="Job", origin="ss.form", origin_id=4)
    Field.objects.create(form=form, key="photo", label="Photo", kind="image")
    return form


def test_a_page_of_the_plugin_uploads_a_picture(client, plugin):
    address = f"/api/ss.form/{plugin.site_id}/4"
    definition = client.post(f"{address}/actions/get").json()
    field = definition["value"][0]
    assert field["fieldType"] == "Image"
    query = f"fieldId={field['id']}&uploadToken={definition['uploadToken']}"
    told = client.post(f"{address}/actions/upload?{query}", {"file": file("a.png", picture())}).json()
    assert told["fieldId"] == field["id"]
    sent = client.post(address, {"Photo": told["value"]}, "application/json")
    assert sent.status_code == 200 and Entry.objects.get().files.get().name == "a.png"


@pytest.mark.parametrize("wrong", ["token", "of another form", "field"])
def test_uploads_of_the_plugin_need_its_token(client, plugin, form, wrong):
    number = plugin.fields.get().pk if wrong != "field" else form.fields.get(key="cv").pk
    token = {"token": "x:y:z", "of another form": UPLOADS.sign(form.pk)}.get(wrong, UPLOADS.sign(plugin.pk))
    address = f"/api/ss.form/{plugin.site_id}/4/actions/upload?fieldId={number}&uploadToken={token}"
    assert client.post(address, {"file": file("a.png", picture())}).status_code == 401


# ---- the admin


@pytest.fixture
def entry(client, form):
    name = 'Größe "张" \u202e'
    send(client, form, {"cv": file(f"{name}.pdf", PDF)})
    return Entry.objects.get()


def address(entry, row=None):
    return f"{place('forms_entry', 'file', entry.pk)}?number={(row or entry.files.get()).pk}"


def test_the_entry_lists_its_files_and_they_are_downloaded_only(highest, entry):
    shown = highest.get(place("forms_entry", "change", entry.pk)).content.decode()
    assert address(entry) in shown and "PDF · 15\xa0bytes" in shown
    answer = highest.get(address(entry))
    assert b"".join(answer.streaming_content) == PDF
    headers = answer.headers
    assert headers["Content-Disposition"] == "attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe%20%E5%BC%A0.pdf"
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert headers["X-Content-Type-Options"] == "nosniff" and "no-store" in headers["Cache-Control"]
    (note,) = noted("entry.downloaded")
    assert (note.object_id, note.details) == (str(entry.pk), {"file": entry.files.get().pk})


def test_only_people_who_see_the_entry_get_its_files(entry):
    assert Client().get(address(entry)).status_code == 302
    for rights, sites, status in (
        (["forms.view_form"], "", 404),
        ([], str(SiteFactory().pk), 404),
        (["forms.view_entry"], "", 200),
    ):
        browser = Client()
        browser.force_login(administrator_with(*rights, site_id_collection=sites))
        assert browser.get(address(entry)).status_code == status, (rights, sites)
    assert len(noted("entry.downloaded")) == 1


def test_a_file_is_found_only_below_its_entry(highest, entry, form):
    other = Entry.objects.create(form=form)
    row = entry.files.get()
    assert highest.get(address(other, row)).status_code == 404
    assert highest.get(place("forms_entry", "file", entry.pk)).status_code == 404
    entry_files.remove(row.path)
    assert highest.get(address(entry)).status_code == 404
    assert not noted("entry.downloaded")


def test_a_table_of_entries_names_the_files(highest, entry, form):
    columns = ["created_at", f"field-{form.fields.get(key='cv').pk}"]
    answer = highest.post(
        f"{place('forms_entry', 'export')}?form__id__exact={form.pk}",
        {"form": "csv", "headings": "names", "separator": "comma", "columns": columns},
    )
    assert "Größe 张.pdf" in b"".join(answer.streaming_content).decode()


# ---- backups


@pytest.mark.django_db(transaction=True)
def test_a_backup_brings_the_files_back_and_what_came_later_goes(client, form, tmp_path):
    send(client, form, {"cv": file("cv.pdf", PDF)})
    (kept,) = stored()
    call_command("backup", str(tmp_path / "backup.tar"), "--quiet")
    entry_files.remove(kept)
    send(client, form, {"name": "Eve", "cv": file("later.pdf", PDF)})
    call_command("restore", str(tmp_path / "backup.tar"), "--replace", "--no-input", "--quiet")
    assert contents(EntryFile.objects.get()) == PDF
    grow_old()
    delete_old()
    assert stored() == [kept]


@pytest.mark.django_db(transaction=True)
def test_a_backup_without_files_has_none_of_them_and_the_doctor_misses_them(client, form, tmp_path):
    send(client, form, {"cv": file("cv.pdf", PDF)})
    path = tmp_path / "backup.tar"
    call_command("backup", str(path), "--quiet", "--no-media")
    with tarfile.open(path) as archive:
        assert not [name for name in archive.getnames() if "private" in name]
    assert list(doctor_checks._entry_files()) == []
    entry_files.remove(EntryFile.objects.get().path)
    (finding,) = doctor_checks._entry_files()
    assert finding.grade == "wrong"
