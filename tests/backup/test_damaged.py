"""An archive that is not as it was written is refused before anything is changed, whichever byte it is."""

import gzip
import hashlib
import io
import tarfile
import zlib

import pytest

from cms_api.backup import restoring
from core.archive.container import Reader, Writer
from core.archive.errors import ArchiveError, Damaged
from core.archive.reading import MAX_OF_A_PART, Archive
from tests.archives import Silent, forged, parts, written
from tests.backup.places import place

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def backup(tmp_path_factory):
    """The bytes of a small backup with files, one of a long name, and the installation that it is of."""
    folder = tmp_path_factory.mktemp("small")
    with place(folder / "data", "sqlite") as made:
        for name in ("sites/1/upload/" + "很长的名字" * 12 + ".txt", "avatars/ab/one.png", "empty.txt"):
            path = folder / "data" / "media" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"" if name == "empty.txt" else b"content of a file " * 40)
        made.manage("backup", folder / "backup.tar")
        made.bytes = (folder / "backup.tar").read_bytes()
        yield made


def check(data, tmp_path):
    path = tmp_path / "archive.tar"
    path.write_bytes(data)
    with path.open("rb") as file:
        return restoring.check(file, Silent(), vendor="sqlite")


def test_it_is_whole(backup, tmp_path):
    manifest = check(backup.bytes, tmp_path)
    assert manifest.media.files == 3
    assert check(forged(backup.bytes, lambda manifest, members: None), tmp_path).moment == manifest.moment


def test_standard_tools_read_it(backup):
    names = [name for name, _ in parts(backup.bytes)]
    assert names[0] == "manifest.json"
    assert names[-1] == "manifest.json.sha256"
    assert "media/sites/1/upload/" + "很长的名字" * 12 + ".txt" in names


def test_every_flipped_byte_is_noticed(backup, tmp_path):
    # All of them take minutes: each edge of a header, content or filling, and some between.
    edges = {0, len(backup.bytes) - 1}
    with tarfile.open(fileobj=io.BytesIO(backup.bytes)) as archive:
        for member in archive:
            start, end = member.offset_data, member.offset_data + member.size
            edges.update((*range(start - 512, start, 41), start - 1, start, (start + end) // 2, end - 1, end, end + 1))
    edges.update(range(0, len(backup.bytes), 997))
    for place_of_byte in sorted(edges & set(range(len(backup.bytes)))):
        data = bytearray(backup.bytes)
        data[place_of_byte] ^= 0x80 if place_of_byte % 2 else 0x01
        with pytest.raises(ArchiveError):
            check(bytes(data), tmp_path)


def test_a_cut_archive_is_refused(backup, tmp_path):
    for size in (0, 1, 511, 512, 513, *range(1000, len(backup.bytes), 1777), len(backup.bytes) - 1):
        with pytest.raises(Damaged):
            check(backup.bytes[:size], tmp_path)


def test_something_behind_the_end_is_refused(backup, tmp_path):
    for tail in (b"\0", bytes(512), b"x"):
        with pytest.raises(Damaged):
            check(backup.bytes + tail, tmp_path)


@pytest.mark.parametrize(
    "name", ["../escaped", "/etc/cron.d/x", "a/../../b", "a//b", ".hidden", "a/.x", "a\\b", "a\nb"]
)
def test_a_file_that_would_land_elsewhere_is_refused(backup, tmp_path, name):
    members = parts(backup.bytes)
    members.insert(1, (f"media/{name}", b"evil"))
    with pytest.raises(Damaged):
        check(written(members), tmp_path)


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE]
)
def test_a_link_or_device_is_refused(backup, tmp_path, kind):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in parts(backup.bytes):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o600
            if name.startswith("media/"):
                info.type, info.linkname, info.size = kind, "/etc/passwd", 0
            archive.addfile(info, io.BytesIO(content))
    with pytest.raises(Damaged):
        check(file.getvalue(), tmp_path)


def test_huge_sizes_are_refused_without_reading_them(backup, tmp_path):
    path = tmp_path / "huge.tar"
    members = parts(backup.bytes)
    whole = written(members[:1], end=False)
    info = tarfile.TarInfo("tables/accounts_user/000001.jsonl.gz")
    info.size, info.mtime, info.mode = 2**40, 1_700_000_000, 0o600
    with path.open("wb") as file:
        file.write(whole + info.tobuf(tarfile.PAX_FORMAT))
        file.truncate(2**33)  # takes no place on the disk
    with path.open("rb") as file, pytest.raises(Damaged):
        restoring.check(file, Silent())
    manifest = tarfile.TarInfo("manifest.json")
    manifest.size, manifest.mode = 2**35, 0o600
    with pytest.raises(Damaged, match="claims"):
        check(manifest.tobuf(tarfile.PAX_FORMAT), tmp_path)


def test_what_unpacks_to_more_than_it_may_is_refused(backup, tmp_path):
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(2**24)) for _ in range(MAX_OF_A_PART // 2**24 + 2)) + packer.flush()

    def change(manifest, members):
        table = next(one for one in manifest["tables"] if one["name"] == "django_content_type")
        members["tables/django_content_type/000001.jsonl.gz"] = bomb
        table["sha256"] = hashlib.sha256(bomb).hexdigest()

    with pytest.raises(Damaged, match="unpacked"):
        check(forged(backup.bytes, change), tmp_path)


@pytest.mark.parametrize(
    "line",
    [b"{}", b"[1]", b'[null,"a","b"]', b'["1","a","b"]', b'[true,"a","b"]', b'[1,"a",2]', b"[1", b"[" * 9999, b"\xff"],
)
def test_what_is_no_row_is_refused(backup, tmp_path, line):
    def change(manifest, members):
        table = next(one for one in manifest["tables"] if one["name"] == "django_content_type")
        packed = gzip.compress(line + b"\n")
        members["tables/django_content_type/000001.jsonl.gz"] = packed
        table |= {"sha256": hashlib.sha256(packed).hexdigest(), "rows": 1}

    with pytest.raises(Damaged):
        check(forged(backup.bytes, change), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest, members: manifest["tables"][0].update(rows=1),
        lambda manifest, members: manifest["tables"][0].update(parts=2),
        lambda manifest, members: manifest["tables"].reverse(),
        lambda manifest, members: manifest["media"].update(files=2),
        lambda manifest, members: manifest["media"].update(is_included=False),
        lambda manifest, members: manifest["tables"][0].update(name="x; DROP TABLE y"),
        lambda manifest, members: manifest["tables"][0].update(rows=-1),
        lambda manifest, members: manifest["tables"][0].update(columns={"id": "pickle"}),
        lambda manifest, members: manifest.pop("migrations"),
        lambda manifest, members: members.pop("index/000001.jsonl.gz"),
        lambda manifest, members: members.pop("media/empty.txt"),
        lambda manifest, members: members.update({"media/empty.txt": b"x"}),
        lambda manifest, members: members.pop("tables/auth_permission/000001.jsonl.gz"),
    ],
)
def test_members_that_do_not_agree_are_refused(backup, tmp_path, change):
    with pytest.raises(Damaged):
        check(forged(backup.bytes, change), tmp_path)


def test_a_later_format_is_named(backup, tmp_path):
    with pytest.raises(ArchiveError, match="format 2"):
        check(forged(backup.bytes, lambda manifest, members: manifest.update(format=2)), tmp_path)


def test_another_archive_is_no_backup(tmp_path):
    for data in (
        b"",
        b"PK\3\4" + bytes(600),
        bytes(1024),
        written([("readme.txt", b"hello")]),
        b"\x1f\x8b" + bytes(600),
    ):
        path = tmp_path / "other"
        path.write_bytes(data)
        with path.open("rb") as file, pytest.raises(Damaged):
            Archive(file)


def test_a_member_of_more_than_eight_gigabytes_has_one_form(tmp_path):
    size, moment = 9 * 2**30, 1_700_000_000
    info = tarfile.TarInfo("media/film.mp4")
    info.size, info.mtime, info.mode = size, moment, 0o600
    with (tmp_path / "large.tar").open("w+b") as file:
        file.write(info.tobuf(tarfile.PAX_FORMAT))
        file.seek(size, 1)
        file.truncate()  # takes no place on the disk
        file.seek(0, 2)
        Writer(file, moment).end()
        file.seek(0)
        reader = Reader(file)
        found = []
        for member in reader.members():
            found.append((member.name, member.size))
            reader.pass_over()
        assert found == [("media/film.mp4", size)]


def test_the_command_refuses_before_it_changes_anything(backup, tmp_path):
    path = tmp_path / "damaged.tar"
    data = bytearray(backup.bytes)
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    before = backup.rows()
    code, out, errors = backup.run("manage.py", "restore", str(path), "--replace", "--no-input")
    assert (code, out) == (1, "")
    assert "CommandError" in errors
    assert "Traceback" not in errors
    assert backup.rows() == before
    code, _, errors = backup.run("manage.py", "verify_backup", str(path))
    assert code == 1
    assert "CommandError" in errors
