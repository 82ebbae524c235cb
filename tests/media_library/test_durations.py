"""The length of sounds and videos."""

import io
import struct
import wave

import pytest

from core.lib.media_storage import StorageUnavailable, WholeFiles
from media_library import durations
from media_library.admin.files import MediaFileAdmin
from media_library.durations import duration_of
from media_library.models import MediaFile
from tests.admin.pages.browsing import place
from tests.admin.pages.writing.test_uploads import upload
from tests.factories import SiteFactory
from tests.media_library.test_record import store
from tests.media_library.test_sync_media import line, sync
from tests.media_library.uploads import address, replace, send, uploaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


def wav(seconds):
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(round(seconds * 16_000)))
    return file.getvalue()


def box(kind, data):
    return struct.pack(">I", 8 + len(data)) + kind + data


def film(duration, scale=1000, before=b""):
    header = struct.pack(">B3xIIII80x", 0, 0, 0, scale, duration)
    return box(b"ftyp", b"mp42\0\0\0\0mp42") + before + box(b"moov", box(b"mvhd", header)) + box(b"mdat", bytes(64))


def flac(seconds, rate=8000):
    facts = (rate << 44) | (15 << 36) | round(seconds * rate)
    return b"fLaC\x80\0\0\x22" + struct.pack(">HH6xQ16x", 4096, 4096, facts) + bytes(100)


def page(data, place=0, kind=0, number=0):
    sizes = bytes([255] * (len(data) // 255) + [len(data) % 255])
    return b"OggS\0" + bytes([kind]) + struct.pack("<qIIIB", place, 7, number, 0, len(sizes)) + sizes + data


def ogg(seconds, pages=0, rate=8000):
    head = b"\x01vorbis" + struct.pack("<IBIiiiBB", 0, 1, rate, 0, 64_000, 0, 0xB8, 1)
    middle = b"".join(page(bytes(60_000), place=number * 100, number=number) for number in range(1, pages + 1))
    return page(head, kind=2) + middle + page(bytes(40), place=round(seconds * rate), kind=4, number=pages + 1)


def mp3(frames, tags=b""):
    # 128 kbit/s at 44,100 Hz: 417 bytes and 1,152 samples each
    return tags + (b"\xff\xfb\x90\x64" + bytes(413)) * frames


def id3(size):
    return b"ID3\x03\0\0" + bytes((size >> shift) & 127 for shift in (21, 14, 7, 0)) + bytes(size)


def length(name, data):
    return duration_of(name, len(data), lambda start, stop: data[start:stop])


@pytest.mark.parametrize(
    ("name", "data", "seconds"),
    [
        ("a.wav", wav(2.5), 2.5),
        ("a.MP4", film(205_400), 205.4),
        ("a.mov", film(205_400, before=box(b"wide", b"")), 205.4),
        ("a.m4a", film(90, 30), 3.0),
        ("a.mp4", film(7000, before=box(b"mdat", bytes(9_000_000))), 7.0),  # at the end, as cameras write it
        ("a.flac", flac(12.25), 12.25),
        ("a.ogg", ogg(64), 64.0),
        ("a.ogg", ogg(3600, pages=100), 3600.0),
        ("a.mp3", mp3(200), pytest.approx(5.22, abs=0.03)),
        ("a.mp3", mp3(200, id3(6_000_000)), pytest.approx(5.22, abs=0.03)),  # after a large picture
    ],
)
def test_lengths_are_read(name, data, seconds):
    assert length(name, data) == seconds


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", wav(2.5)),
        ("a.wav", b""),
        ("a.wav", b"RIFF"),
        ("a.wav", wav(0)),
        ("a.webm", b"\x1a\x45\xdf\xa3" + bytes(100)),
        ("a.mp4", film(0)),
        ("a.mp4", film(1000, 0)),
        ("a.mp4", film(2**32 - 1, 1)),
        ("a.mp4", film(1000)[:40]),
        ("a.ogg", ogg(-5)),
        ("a.ogg", page(b"no sound")),
        ("a.mp3", b"\xff\xfb" + bytes(3000)),
    ],
)
def test_others_have_none(name, data):
    assert length(name, data) is None


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.mp4", box(b"ftyp", b"mp42") + box(b"free", b"") * 200_000 + film(7000)),
        ("a.wav", b"RIFF\0\0\0\0WAVE" + b"junk\0\0\0\0" * 200_000),
        ("a.mp3", b"ID3\x03\0\0\0\0\0\0" + b"\xff\xfa" * 4_000_000),
        ("a.mp4", box(b"ftyp", b"mp42") + box(b"moov", b"\x10\0\0\0mvhd" + bytes(9_000_000))),
        ("a.ogg", ogg(3600, pages=2) + bytes(9_000_000)),
    ],
)
def test_of_hostile_files_little_is_read(name, data):
    read = []

    def part(start, stop):
        read.append(stop - start)
        return data[start:stop]

    assert duration_of(name, len(data), part) is None
    assert sum(read) <= durations._MAX_BLOCKS * durations._BLOCK


def test_failures_of_the_storage_are_raised():
    def fail(start, stop):
        raise StorageUnavailable("gone")

    with pytest.raises(StorageUnavailable):
        duration_of("a.wav", 1000, fail)


# ---- records


@pytest.fixture
def site():
    return SiteFactory(settings={"fileUploadTypeCollection": "pdf,flac"})


def test_uploads_have_their_length(api, highest, site):
    sound, film_ = (send(api, site, file).json()["value"] for file in (("a.wav", wav(2)), ("a.mp4", film(205_000))))
    assert (sound["duration"], film_["duration"]) == (2.0, 205.0)
    assert send(api, site, ("a.pdf", b"%PDF")).json()["value"]["duration"] is None
    upload(highest, site, "b.flac", flac(9), kind="file")
    assert MediaFile.objects.get(title="b").duration == 9.0


def test_a_replaced_sound_has_the_new_length(api, site):
    file = uploaded(api, site, "a.wav", wav(2))
    assert replace(api, file, "b.wav", wav(3)).json()["value"]["duration"] == 3.0
    assert api.get(address(site, file.pk)).json()["value"]["duration"] == 3.0


def test_sync_media_reads_lengths(site, monkeypatch):
    store(site, "a.wav", wav(2))
    store(site, "b.wav", b"RIFF no sound")
    assert sync() == [line(site, added=2, read=2)]
    assert dict(MediaFile.objects.values_list("path", "duration")) == {"a.wav": 2.0, "b.wav": None}
    monkeypatch.setattr(WholeFiles, "parts", None)  # nothing is read again
    assert sync() == [line(site)]


def test_the_admin_shows_the_length(highest, site, api):
    file = uploaded(api, site, "a.mp4", film(205_000))
    listed = highest.get(place("media_library_mediafile", "changelist")).content.decode()
    assert '<td class="field-extent">3:25</td>' in listed
    shown = highest.get(place("media_library_mediafile", "change", file.pk)).content.decode()
    assert "<dt>Duration</dt><dd>3:25</dd>" in shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (0.2, "0:00"), (59.6, "1:00"), (205.4, "3:25"), (3805.0, "1:03:25")],
)
def test_durations_are_written_as_players_do(seconds, shown):
    assert MediaFileAdmin.duration(None, MediaFile(duration=seconds)) == shown
