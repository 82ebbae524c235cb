"""Pictures in other sizes and formats, by their addresses."""

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, connections
from django.test import Client
from PIL import Image

from core.lib import clock
from core.lib.cache_counts import CacheCounts
from media_library.models import MediaFile, Rendition
from media_library.renditions import stored, usage
from media_library.renditions.requested import signed_query
from tests.accounts.picture_files import LINEAR_GREY, WIDE_RGB, plain, saved
from tests.factories import SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
PATH = "upload/images/photo.jpg"


@pytest.fixture
def site():
    return SiteFactory()


def keep(site, picture, kind="JPEG", path=PATH, **options):
    """Store a picture as it came with an import, and return its address."""
    data = picture if isinstance(picture, bytes) else saved(picture, kind, **options)
    default_storage.delete(f"sites/{site.pk}/{path}")
    default_storage.save(f"sites/{site.pk}/{path}", ContentFile(data))
    return f"/media/sites/{site.pk}/{path}"


def body(answer):
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def shown(client, address, query, accept="*/*"):
    """The picture at the address, and the answer."""
    answer = client.get(f"{address}?{query}", headers={"Accept": accept})
    assert answer.status_code == 200, body(answer)
    answer.data = body(answer)
    return Image.open(io.BytesIO(answer.data)), answer


def halves(size=(1200, 800)):
    """A picture, red at the left and blue at the right."""
    picture = plain(size, (200, 30, 30))
    picture.paste((30, 30, 200), (size[0] // 2, 0, *size))
    return picture


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("w=640", (640, 427)),
        ("h=320", (480, 320)),
        ("w=640&h=160", (240, 160)),
        ("w=640&h=160&fit=cover", (640, 160)),
        ("w=160&h=640&fit=cover", (160, 640)),
        ("w=1600", (1200, 800)),
        ("w=1600&h=1600&fit=cover", (800, 800)),
        ("format=webp", (1200, 800)),
    ],
)
def test_a_picture_has_the_size_of_its_address_and_is_never_enlarged(client, site, query, size):
    picture, _ = shown(client, keep(site, halves()), query)
    assert picture.size == size


@pytest.mark.parametrize(("focus", "colour"), [(0.0, "red"), (1.0, "blue")])
def test_a_cut_keeps_the_focal_point(client, site, focus, colour):
    address = keep(site, halves())
    MediaFile.objects.create(site=site, path=PATH, kind="image", bytes=1, focal_x=focus, focal_y=0.5)
    picture, _ = shown(client, address, "w=160&h=320&fit=cover")
    red, _, blue = picture.convert("RGB").resize((1, 1)).getpixel((0, 0))
    assert ("red" if red > blue else "blue") == colour


@pytest.mark.parametrize(
    ("accept", "kind"),
    [("image/avif,image/webp,*/*", "WEBP"), ("image/avif,*/*", "AVIF"), ("*/*", "JPEG")],
)
def test_an_automatic_format_follows_what_the_client_accepts(client, site, accept, kind):
    picture, answer = shown(client, keep(site, halves()), "w=320&format=auto", accept)
    assert (picture.format, answer["Content-Type"]) == (kind, f"image/{kind.lower()}")
    assert (answer["Vary"], "immutable" in answer["Cache-Control"]) == ("Accept", True)


def test_other_sizes_alone_show_the_original_as_addresses_from_elsewhere_expect(client, site):
    address = keep(site, halves())
    for query in ("w=641", "w=640&w=641", "h=0", "w=", "v=3", "w=-1", "w=640.0", "w=%20"):
        picture, _ = shown(client, address, query)
        assert picture.size == (1200, 800), query
    assert not Rendition.objects.exists()


@pytest.mark.parametrize(
    "query", ["w=641&fit=cover", "w=640&q=10", "w=640&format=tiff", "w=640&fit=fill", "w=640&s=", "h=9&format=auto"]
)
def test_what_is_not_listed_is_refused_with_the_reason(client, site, query):
    answer = client.get(f"{keep(site, halves())}?{query}")
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert b" must be " in answer.content or b"signature" in answer.content
    assert not Rendition.objects.exists()


def test_a_signature_is_valid_for_one_size_of_one_file(client, site):
    address, other = keep(site, halves()), keep(site, halves(), path="upload/other.jpg")
    query = signed_query(f"{site.pk}/{PATH}", w=333, q=40)
    assert shown(client, address, query)[0].size == (333, 222)
    assert client.get(f"{other}?{query}").status_code == 400
    for changed in (query.replace("333", "334"), query + "&h=200", query.replace("q=40&", "")):
        assert client.get(f"{address}?{changed}").status_code == 400, changed
    assert client.get(f"{address}?{signed_query(f'{site.pk}/{PATH}', w=9000)}").status_code == 400


def test_a_stored_rendition_is_served_without_drawing_and_without_the_database(
    client, site, monkeypatch, django_assert_num_queries
):
    address = keep(site, halves())
    _, first = shown(client, address, "w=320&format=webp")
    monkeypatch.setattr(stored, "draw", None)
    with django_assert_num_queries(0):
        _, second = shown(client, address, "format=webp&w=320")
    assert second.data == first.data
    assert Rendition.objects.get().bytes == len(first.data)


def test_metrics_count_renditions_that_are_made_and_found(client, site):
    counts, address = CacheCounts.named["renditions"], keep(site, halves())
    before = counts.hits, counts.misses
    for query in ("w=160", "w=160", "w=320", "w=9"):  # the last one names no rendition
        shown(client, address, query)
    assert (counts.hits - before[0], counts.misses - before[1]) == (1, 2)


def test_a_replaced_file_has_new_renditions(client, site):
    address = keep(site, halves())
    shown(client, address, "w=160")
    keep(site, plain((400, 400), (20, 200, 20)))
    assert shown(client, address, "w=160")[0].size == (160, 160)
    stored.forget_renditions(site.pk, PATH)
    assert not Rendition.objects.exists()
    assert list(Path(default_storage.path(f"sites/{site.pk}/.renditions")).rglob("*.jpeg")) == []


def test_a_picture_without_a_file_has_no_renditions(client, site):
    address = keep(site, halves())
    shown(client, address, "w=160")
    default_storage.delete(f"sites/{site.pk}/{PATH}")
    assert client.get(f"{address}?w=160").status_code == 404
    assert client.get(f"/media/sites/{site.pk}/.renditions/{PATH}").status_code == 404


def test_colours_and_direction_are_those_of_the_original(client, site):
    turned = halves((300, 200))
    exif = turned.getexif()
    exif[0x0112], exif[0x010E] = 6, "SECRET"  # turned by 90 degrees; a description
    picture, answer = shown(client, keep(site, turned, exif=exif, icc_profile=WIDE_RGB), "w=160&format=webp")
    assert picture.size == (160, 240)
    assert b"SECRET" not in answer.data
    assert "icc_profile" not in picture.info
    assert picture.convert("RGB").getpixel((80, 10))[0] > 200  # red, stronger in sRGB

    grey = keep(site, plain((300, 200), 128, "L"), icc_profile=LINEAR_GREY, path="upload/grey.jpg")
    assert shown(client, grey, "w=160&format=webp")[0].convert("L").getpixel((5, 5)) > 170

    press = keep(site, plain((300, 200), (0, 255, 255, 0), "CMYK"), path="upload/press.jpg")
    assert shown(client, press, "w=160&format=jpeg")[0].mode == "RGB"


def test_transparency_stays_or_becomes_white(client, site):
    clear = keep(site, plain((300, 200), (200, 0, 0, 0), "RGBA"), "PNG", path="upload/clear.png")
    assert shown(client, clear, "w=160")[0].getpixel((1, 1))[3] == 0
    assert shown(client, clear, "w=160&format=webp")[0].convert("RGBA").getpixel((1, 1))[3] == 0
    assert min(shown(client, clear, "w=160&format=jpeg")[0].getpixel((1, 1))) > 250


def moving():
    frames = [plain((300, 200), (number * 80, 0, 0)) for number in range(3)]
    return saved(frames[0], "GIF", save_all=True, append_images=frames[1:])


@pytest.mark.parametrize("data", [moving(), b"no picture", saved(plain((9000, 9000), 0, "1"), "PNG")])
def test_what_cannot_be_drawn_again_is_shown_as_it_is_and_tried_once(client, site, settings, monkeypatch, data):
    settings.CMS_PICTURE_MAX_PIXELS = 50_000_000
    address = keep(site, data, path="upload/odd.gif")
    tries = []
    monkeypatch.setattr(stored, "draw", lambda *given, **more: tries.append(1) or draw(*given, **more))
    for _ in range(3):
        assert body(client.get(f"{address}?w=160")) == data
    assert len(tries) == 1


draw = stored.draw


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_at_once_one_makes_the_rendition(site, monkeypatch):
    address, tries = keep(site, halves()), []
    monkeypatch.setattr(stored, "draw", lambda *given, **more: tries.append(1) or draw(*given, **more))

    def ask(_):
        try:
            return shown(Client(), address, "w=320&format=webp")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(ask, range(100)))
    assert len(tries) == 1
    for picture, answer in answers:
        # The others got the rendition or, uncached, the original.
        assert picture.format == "WEBP" or (picture.format, answer["Cache-Control"]) == ("JPEG", "no-store")
    assert shown(Client(), address, "w=320&format=webp")[0].format == "WEBP"


def test_a_rendition_that_its_process_has_left_is_made_by_another(client, site, monkeypatch):
    address = keep(site, halves())
    monkeypatch.setattr(stored, "_draw_and_store", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(Rendition, "delete", lambda row: None)  # as if the process were killed
    with pytest.raises(KeyboardInterrupt):
        client.get(f"{address}?w=160")
    monkeypatch.undo()
    picture, answer = shown(client, address, "w=160")
    assert (picture.size, answer["Cache-Control"]) == ((1200, 800), "no-store")
    Rendition.objects.update(claimed_at=clock.now() - 2 * stored._STALE)
    assert shown(client, address, "w=160")[0].size == (160, 107)


def test_a_full_disk_leaves_the_original_and_nothing_else(client, site, monkeypatch):
    address = keep(site, halves())

    def full(*given, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(default_storage._wrapped), "_write", full)
    picture, answer = shown(client, address, "w=160")
    assert (picture.size, answer["Cache-Control"]) == ((1200, 800), "no-store")
    assert not Rendition.objects.exists()


def test_renditions_that_nobody_uses_are_deleted(client, site, settings, monkeypatch):
    address = keep(site, halves())
    for query in ("w=160", "w=320"):
        shown(client, address, query)
    Rendition.objects.update(used_on=clock.now().date() - timedelta(days=settings.CMS_RENDITION_DAYS + 1))
    noted = usage.Usage()
    monkeypatch.setattr(usage, "note", noted.note)
    monkeypatch.setattr(connection, "close", lambda: None)  # as at the end of a thread
    shown(client, address, "w=320")
    noted.store()
    stored.purge_unused()
    assert Rendition.objects.get().name.rpartition("/")[2].startswith("320x-")
    assert len(list(Path(default_storage.path(f"sites/{site.pk}/.renditions")).rglob("*.jpeg"))) == 1
