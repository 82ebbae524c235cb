"""Files of sites in an object store, a real one in a process of its own: kept, measured, served whole or in parts."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from core.lib import object_store as stores
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import opened, plain, saved
from tests.accounts.test_media_storage import CREDENTIALS, bucket_of, keys, object_store, storage_address
from tests.admin.pages.writing.test_uploads import MP4, read, upload
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def running_store():
    with object_store() as (url, _):
        yield url


@pytest.fixture
def use(settings, monkeypatch):
    """Keeps files in the store of that address from now on."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return lambda url: keep_media_in(settings, None, storage_address(url))


@pytest.fixture
def store(running_store, use):
    """An empty store in use."""
    bucket = bucket_of(running_store)
    bucket.objects.all().delete()
    use(running_store)
    return bucket


def test_the_store_tells_the_size_of_a_file_and_that_there_is_none(store):
    default_storage.save("sites/1/a.mp4", ContentFile(MP4))
    assert default_storage.size_of("sites/1/a.mp4") == len(MP4)
    with pytest.raises(FileNotFoundError):
        default_storage.size_of("sites/1/b.mp4")


@pytest.mark.parametrize("piece", [100, 333, 10_000_000])
def test_a_part_comes_in_pieces_that_are_the_file(store, monkeypatch, piece):
    monkeypatch.setattr(stores, "_PIECE", piece)
    data = MP4[:1000]
    default_storage.save("sites/1/a.mp4", ContentFile(data))
    for start, stop in ((0, len(data)), (0, 1), (5, 30), (len(data) - 1, len(data)), (7, 7)):
        pieces = list(default_storage.parts("sites/1/a.mp4", start, stop))
        assert b"".join(pieces) == data[start:stop]
        assert all(len(each) <= piece for each in pieces)
        assert len(pieces) == -(-(stop - start) // piece)


@pytest.mark.parametrize(
    ("asked", "status", "start", "stop"),
    [("", 200, 0, None), ("bytes=0-99", 206, 0, 100), ("bytes=100-", 206, 100, None), ("bytes=-50", 206, -50, None)],
)
def test_an_uploaded_film_is_served_from_the_store(highest, store, asked, status, start, stop):
    site = SiteFactory()
    told = upload(highest, site, "a.mp4", MP4, "video").json()
    assert keys(store) == {f"cms/sites/{site.pk}/{told['address'].removeprefix('@/')}"}
    answer = highest.get(told["shown"], headers={"Range": asked} if asked else {})
    assert (answer.status_code, read(answer)) == (status, MP4[start:stop])
    assert answer["Content-Type"] == "video/mp4"
    assert highest.get(told["shown"], headers={"Range": "bytes=999999-"}).status_code == 416
    assert highest.head(told["shown"])["Content-Length"] == str(len(MP4))


def test_a_picture_goes_into_the_store_with_its_smaller_forms_and_its_mark(highest, store):
    site = SiteFactory(
        settings={
            "isWaterMark": True,
            "isImageWaterMark": True,
            "waterMarkImagePath": "@/mark.png",
            "waterMarkPosition": 1,
            "waterMarkTransparency": 10,
            "photoMiddleWidth": 300,
        }
    )
    default_storage.save(f"sites/{site.pk}/mark.png", ContentFile(saved(plain((60, 30), (255, 0, 0)), "PNG")))
    told = upload(highest, site, "a.png", saved(plain((600, 300)), "PNG")).json()
    stem = f"cms/sites/{site.pk}/{told['address'].removeprefix('@/').removesuffix('.png')}"
    assert keys(store) == {f"{stem}{form}.png" for form in ("", "_small", "_middle")} | {
        f"cms/sites/{site.pk}/mark.png"
    }
    shown = opened(read(highest.get(told["shown"])))
    assert (shown.size, shown.getpixel((30, 20))) == ((600, 300), (255, 0, 0))


def test_what_a_browser_could_run_is_handed_out_to_be_kept_by_the_store_itself(highest, store):
    site = SiteFactory(settings={"fileUploadTypeCollection": "zip"})
    told = upload(highest, site, "a.zip", b"PK\x03\x04", "file").json()
    kept = store.Object(f"cms/sites/{site.pk}/{told['address'].removeprefix('@/')}")
    assert (kept.content_type, kept.content_disposition) == ("application/octet-stream", "attachment")


def test_a_store_that_is_gone_is_told_and_nothing_is_kept(highest, use):
    site = SiteFactory()
    with object_store() as (url, end):
        use(url)
        told = upload(highest, site, "a.mp4", MP4, "video").json()
        end()
        failed = upload(highest, site, "b.mp4", MP4, "video")
        assert (failed.status_code, failed.json()) == (
            503,
            {"message": "The file storage is not responding; try again later."},
        )
        answer = highest.get(told["shown"])
        assert (answer.status_code, answer["Retry-After"]) == (503, "1")


def test_a_mark_in_a_store_that_is_gone_keeps_the_picture_out(highest, use):
    settings = {"isWaterMark": True, "isImageWaterMark": True, "waterMarkImagePath": "@/mark.png"}
    site = SiteFactory(settings=settings)
    with object_store() as (url, end):
        use(url)
        end()
        assert upload(highest, site, "a.png", saved(plain((600, 300)), "PNG")).status_code == 503
