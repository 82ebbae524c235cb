"""The row of a file: with an upload, and of the files that a library lists."""

import hashlib

import pytest
from django.db import DatabaseError

from media_library.kinds import MediaKind, in_library, kind_of
from media_library.models import MediaFile, MediaFileQuerySet
from tests.accounts.forms import stored, stored_files
from tests.accounts.picture_files import plain, saved
from tests.admin.pages.writing.test_uploads import MP4, upload
from tests.factories import SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def test_a_picture_gets_a_row(highest):
    site = SiteFactory()
    answer = upload(highest, site, "Harbour at dawn.jpg", saved(plain((900, 600), (200, 40, 30)), "JPEG")).json()
    row = MediaFile.objects.listed().get()
    assert row.address == answer["address"]
    assert (row.site, row.kind, row.content_type, row.width, row.height) == (site, "image", "image/jpeg", 900, 600)
    data = stored(f"sites/{site.pk}/{row.path}")
    assert (row.bytes, row.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert (row.title, row.alternative_text, row.uploader) == ("Harbour at dawn", "", "harriet")
    assert len(stored_files()) == 3  # with the smaller pictures, which have no rows


def test_a_video_gets_a_row(highest):
    upload(highest, SiteFactory(), "Tour.mp4", MP4, kind="video")
    row = MediaFile.objects.get()
    assert (row.kind, row.width, row.bytes) == ("video", None, len(MP4))
    assert row.sha256 == hashlib.sha256(MP4).hexdigest()


def test_a_picture_that_is_stored_as_it_is_gets_its_size(highest):
    site = SiteFactory(settings={"fileUploadTypeCollection": "png"})
    data = saved(plain((30, 20), (200, 40, 30)), "PNG")
    upload(highest, site, "plan.png", data, kind="file")
    row = MediaFile.objects.get()
    assert (row.width, row.height, row.bytes) == (30, 20, len(data))
    assert stored(f"sites/{site.pk}/{row.path}") == data


def test_a_file_whose_row_cannot_be_stored_is_removed(highest, monkeypatch):
    def fail(*args, **options):
        raise DatabaseError

    monkeypatch.setattr(MediaFileQuerySet, "bulk_create", fail)
    with pytest.raises(DatabaseError):
        upload(highest, SiteFactory(), "Tour.mp4", MP4, kind="video")
    assert stored_files() == set()


LISTED = ["upload/a.jpg", "upload/b_small.jpg", "images/logo.png", "a.PDF", "notes.txt", "a.docx", "photo.jpg!w200"]
NOT_LISTED = [
    "upload/a_small.jpg",
    "upload/a_middle.jpg",
    "css/a.css",
    "a.js",
    "index.html",
    "a.svg",
    "f.woff",
    "x.exe",
]


def test_a_library_lists_pictures_films_sounds_and_accepted_files():
    paths = LISTED + NOT_LISTED + ["upload/.hidden.jpg", "no type", f"{'a' * 260}.jpg"]
    assert in_library(SiteFactory(), paths) == LISTED
    own_types = SiteFactory(settings={"fileUploadTypeCollection": "odt,css,exe"})
    assert in_library(own_types, ["a.odt", "a.docx", "a.css", "a.exe"]) == ["a.odt"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.JPG", MediaKind.IMAGE),
        ("a.avi", MediaKind.VIDEO),
        ("a.webm", MediaKind.VIDEO),
        ("a.mp3", MediaKind.AUDIO),
        ("a.wma", MediaKind.AUDIO),
        ("a.txt", MediaKind.DOCUMENT),
        ("a.docx", MediaKind.DOCUMENT),
        ("a.zip", MediaKind.OTHER),
    ],
)
def test_the_kind_of_a_file_follows_from_its_type(path, kind):
    assert kind_of(path) == kind
