"""The library of a site whose files are in an S3-compatible object store."""

import pytest
from django.core.files.storage import default_storage

from media_library import resumable
from media_library.models import MediaFile
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import plain, saved
from tests.accounts.test_media_storage import CREDENTIALS, object_store, storage_address
from tests.factories import SiteFactory
from tests.media_library.test_record import store
from tests.media_library.test_resumable import PDF, begun, send, tus
from tests.media_library.test_sync_media import line, sync

pytestmark = [pytest.mark.django_db, pytest.mark.large]


def test_files_are_found_read_and_missed(settings, tmp_path, monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    site = SiteFactory()
    with object_store() as (url, _):
        keep_media_in(settings, tmp_path, storage_address(url))
        store(site, "upload/images/2019/a.png", saved(plain((30, 20), (200, 40, 30)), "PNG"))
        store(site, "top.txt", b"1234")
        assert sync() == [line(site, added=2, read=2)]
        row = MediaFile.objects.get(path="upload/images/2019/a.png")
        assert (row.width, row.height, len(row.sha256)) == (30, 20, 64)
        assert row.bytes == default_storage.size_of(f"sites/{site.pk}/{row.path}")
        default_storage.delete(f"sites/{site.pk}/top.txt")
        assert sync() == [line(site, removed=1)]


def test_an_upload_arrives_in_parts(settings, tmp_path, monkeypatch, api):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(resumable, "_PART", 4000)
    monkeypatch.setattr(resumable, "_SHORT", 2000)
    site = SiteFactory()
    with object_store() as (url, _):
        keep_media_in(settings, tmp_path, storage_address(url))
        path = begun(api, site)
        for start in range(0, len(PDF), 1500):
            assert send(api, path, start, PDF[start : start + 1500]).status_code == 204
        row = MediaFile.objects.get()
        assert b"".join(default_storage.parts(f"sites/{site.pk}/{row.path}", 0, len(PDF))) == PDF
        ended = begun(api, site)
        send(api, ended, 0, PDF[:100])
        assert default_storage.entries(f"sites/{site.pk}/.new")[0] == [ended.rpartition("/")[2]]
        tus(api, "DELETE", ended)
        resumable.purge()
        assert default_storage.entries(f"sites/{site.pk}/.new") == ([], {})
