"""Rows of files that an import or a migration has stored."""

import os

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.lib import clock
from media_library.models import MediaFile
from media_library.replaced import mark_of
from media_library.services import record_files
from tests.factories import SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def store(site, path, data=b"x"):
    name = f"sites/{site.pk}/{path}"
    default_storage.delete(name)
    default_storage.save(name, ContentFile(data))


def test_stored_files_of_the_library_get_rows():
    site = SiteFactory()
    paths = ["upload/2019/Old photo.jpg", "upload/2019/Old photo_small.jpg", "top.pdf", "css/site.css"]
    for path in paths:
        store(site, path, b"1234")
    os.utime(default_storage.path(f"sites/{site.pk}/top.pdf"), (1_500_000_000, 1_500_000_000))
    record_files(site, [*paths, "upload/never stored.jpg"])
    photo, top = MediaFile.objects.order_by("-path")
    assert (photo.path, photo.title, photo.kind, photo.bytes, photo.sha256) == (paths[0], "Old photo", "image", 4, "")
    assert (top.path, top.kind, top.created_at.year) == ("top.pdf", "document", 2017)


def test_a_replaced_file_keeps_its_texts_and_loses_what_was_read():
    site = SiteFactory()
    store(site, "a.png")
    record_files(site, ["a.png"])
    read = {"sha256": "0" * 64, "width": 1, "height": 1}
    MediaFile.objects.update(**read, alternative_text="A lighthouse", missing_since=clock.now())
    store(site, "a.png", b"other")
    record_files(site, ["a.png"])
    row = MediaFile.objects.listed().get()
    assert (row.bytes, row.sha256, row.width, row.alternative_text, row.version) == (5, "", None, "A lighthouse", 2)
    marks = {mark_of(row.replaced_at)}
    for _ in range(2):  # within a second, too
        record_files(site, ["a.png"])
        marks.add(mark_of(MediaFile.objects.get().replaced_at))
    assert len(marks) == 3 and "" not in marks


def test_a_file_that_is_only_recorded_again_is_not_replaced():
    site = SiteFactory()
    store(site, "a.png")
    for _ in range(2):
        record_files(site, ["a.png"], only_missing=True)
    assert MediaFile.objects.get().replaced_at is None


def test_many_files_take_few_statements():
    site = SiteFactory()
    paths = [f"upload/{number}.jpg" for number in range(600)]
    for path in paths:
        store(site, path)
    with CaptureQueriesContext(connection) as queries:
        record_files(site, paths)
    assert MediaFile.objects.count() == 600
    assert len(queries) < 600 / 20
