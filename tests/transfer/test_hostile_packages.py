"""Packages made to do harm, or damaged on the way: each is refused with a clear error."""

import os
import struct
import zipfile
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from tools.site_templates import METADATA, Template, feed, old_channel, old_content
from transfer import archive
from transfer import feed as feed_module
from transfer.package import PackageError
from transfer.site_template import SiteTemplate
from transfer.values import read_flag

HOME = f"{METADATA}/SiteContent/1.xml"
PROLOGUE = '<?xml version="1.0"?>'


def refused(path):
    with pytest.raises(PackageError) as caught, SiteTemplate(path, ZoneInfo("UTC")) as template:
        assert template.site
        for channel in template.channels():
            for _ in template.contents(channel):
                pass
    assert str(caught.value).endswith(".")
    return caught.value


def with_home(text, tmp_path):
    return Template(channels={"1": text}).write_folder(tmp_path)


BILLION_LAUGHS = (
    f'{PROLOGUE}<!DOCTYPE feed [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><feed><entry>&i;</entry></feed>"
)


@pytest.mark.parametrize(
    "text",
    [
        BILLION_LAUGHS,
        f'{PROLOGUE}<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed>&x;</feed>',
        f'{PROLOGUE}<!DOCTYPE feed SYSTEM "http://127.0.0.1/feed.dtd"><feed/>',
        f"{PROLOGUE}<!DOCTYPE feed><feed/>",
    ],
    ids=["entity bomb", "external entity", "external document type", "document type"],
)
def test_refuses_document_types_and_entities(text, tmp_path):
    error = refused(with_home(text, tmp_path))
    assert error.file == HOME
    assert error.reason == "Document types and entities are not allowed in a package."


WHOLE = feed(old_channel(7), [old_content(1), old_content(2)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not XML",
        WHOLE[: len(WHOLE) // 2],
        WHOLE[: -len("</feed>\n")],
        WHOLE + "<more/>",
        WHOLE.replace('encoding="utf-8"', 'encoding="gb2312"').removeprefix("\ufeff"),
        WHOLE.replace('encoding="utf-8"', 'encoding="no-such"').removeprefix("\ufeff"),
        feed(old_channel(7), [old_content(1, "x")]).replace("True", "\x01"),
        "<a>" * 100_000,
    ],
    ids=["empty", "text", "half", "no end", "two roots", "multi-byte", "unknown encoding", "control", "deep"],
)
def test_refuses_damaged_xml(text, tmp_path):
    error = refused(with_home(text, tmp_path))
    assert error.file == HOME


def test_refuses_elements_of_the_feed_after_its_entries(tmp_path):
    late = "<x:SiteServer_Taxis xmlns:x='y'>1</x:SiteServer_Taxis></feed>"
    error = refused(with_home(WHOLE.replace("</feed>", late), tmp_path))
    assert error.reason == "The element Taxis must come before the entries."


def test_refuses_an_entry_with_too_many_elements(tmp_path):
    many = "<x/>" * (feed_module.MAX_ELEMENTS + 1)
    error = refused(with_home(WHOLE.replace("</entry>", many + "</entry>"), tmp_path))
    assert error.reason == "A record has too many elements or is nested too deeply."


def test_refuses_a_record_that_would_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_RECORD_BYTES", 50_000)
    fits = feed(old_channel(7), [old_content(number, "x" * 20_000) for number in range(1, 10)])
    with SiteTemplate(with_home(fits, tmp_path), ZoneInfo("UTC")) as template:
        assert len(list(template.contents(next(template.channels())))) == 9
    error = refused(with_home(feed(old_channel(7), [old_content(1, "x" * 200_000)]), tmp_path))
    assert error.reason == "A record has more than 50000 bytes."


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_refuses_a_file_beyond_the_limit_by_what_is_read(kind, tmp_path, monkeypatch):
    template = Template(channels={"1": feed(old_channel(7), [old_content(n, "x" * 500) for n in range(1, 500)])})
    path = template.write_folder(tmp_path / "t") if kind == "folder" else template.write_zip(tmp_path / "t.zip")
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 100_000)
    assert "at most 100000 are allowed." in refused(path).reason


def zip_with(tmp_path, name, data=b"x", **attributes):
    path = Template().write_zip(tmp_path / "package.zip")
    with zipfile.ZipFile(path, "a") as archive_file:
        member = zipfile.ZipInfo(name)
        for attribute, value in attributes.items():
            setattr(member, attribute, value)
        archive_file.writestr(member, data)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "../evil.xml",
        "T_Harbour/../../evil.xml",
        "/etc/cron.d/evil",
        "C:/windows/evil.dll",
        "c:evil",
        "..\\evil.xml",
        "\\\\server\\share\\evil",
    ],
)
def test_refuses_a_zip_member_that_leads_outside(name, tmp_path):
    error = refused(zip_with(tmp_path, name))
    assert error.reason == "The name of this zip member points outside the package."
    assert error.file == name.replace("\\", "/")
    assert os.listdir(tmp_path) == ["package.zip"]


def test_refuses_a_symbolic_link_in_a_zip(tmp_path):
    path = zip_with(tmp_path, f"T_Harbour/{METADATA}/SiteContent/1_1.xml", b"/etc/passwd", external_attr=0o120777 << 16)
    assert refused(path).reason == "This zip member is a symbolic link; links are not followed."


@pytest.mark.parametrize("make", [os.symlink, lambda _, path: os.mkfifo(path)], ids=["link", "pipe"])
def test_refuses_links_and_devices_in_a_folder(make, tmp_path):
    path = Template().write_folder(tmp_path / "t")
    (path / HOME).rename(tmp_path / "elsewhere.xml")
    make(tmp_path / "elsewhere.xml", path / HOME)
    assert refused(path).reason == "This is a link or a device; only ordinary files are read."


def test_refuses_two_members_of_one_name(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zip_with(tmp_path, f"T_Harbour/{HOME}")
    assert refused(path).reason == "The zip has two members with this name."


def patched_member(tmp_path, patch):
    """Return a zip whose central directory entry of the last member was changed by hand."""
    path = zip_with(tmp_path, "T_Harbour/big.bin", b"x" * 100)
    data = bytearray(path.read_bytes())
    patch(data, data.rindex(b"PK\x01\x02"))
    path.write_bytes(data)
    return path


def test_refuses_a_member_of_2_gigabytes(tmp_path):
    path = patched_member(tmp_path, lambda data, at: struct.pack_into("<I", data, at + 24, 2**31))
    assert (
        refused(path).reason == f"The file has at least {2**31} bytes; at most {archive.MAX_MEMBER_BYTES} are allowed."
    )


def test_refuses_an_encrypted_member(tmp_path):
    path = patched_member(tmp_path, lambda data, at: struct.pack_into("<H", data, at + 8, 1))
    assert refused(path).reason == "This zip member is encrypted; pack the files without a password."


def test_refuses_a_compression_other_than_deflate(tmp_path):
    path = patched_member(tmp_path, lambda data, at: struct.pack_into("<H", data, at + 10, 14))
    assert refused(path).reason.startswith("This zip member is not compressed with Deflate")


def test_refuses_a_zip_that_unpacks_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1_000)
    assert refused(Template().write_zip(tmp_path / "t.zip")).reason.endswith("at most 1000 are allowed.")


def test_refuses_a_zip_with_too_many_members(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1)
    assert refused(Template().write_zip(tmp_path / "t.zip")).reason == "The zip has 2 members; at most 1 are allowed."


def test_refuses_a_member_that_is_larger_than_it_says(tmp_path):
    path = Template(channels={"1": WHOLE}).write_zip(tmp_path / "t.zip")
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 24, 100)
    path.write_bytes(data)
    assert refused(path).file == f"T_Harbour/{HOME}"


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04" + b"\0" * 50, b"Rar!\x1a\x07\x00"])
def test_refuses_a_file_that_is_no_zip(data, tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(data)
    assert refused(path).reason.startswith("This is not a readable zip file")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_refuses_a_zip_that_was_cut_off(share, tmp_path):
    path = Template().write_zip(tmp_path / "package.zip")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert refused(path).reason.startswith("This is not a readable zip file")


def test_refuses_a_member_whose_data_are_damaged(tmp_path):
    path = Template(channels={"1": WHOLE}).write_zip(tmp_path / "package.zip")
    data = bytearray(path.read_bytes())
    at = data.index(HOME.encode()) + len(HOME) + 20
    data[at : at + 20] = b"\xff" * 20
    path.write_bytes(data)
    assert refused(path).reason.startswith(("The file cannot be read", "This is not complete"))


def test_reasons_are_told_in_the_language_of_whoever_reads_them(tmp_path):
    error = refused(Template(channels={}).write_zip(tmp_path / "t.zip"))
    sentence = "The package has no SiteContent/1.xml, which is the home channel."
    # The errors come from threads of their own; the command speaks English.
    assert (error.reason, str(error)) == (sentence, sentence)
    with translation.override("zh-hans"):
        assert error.reason == translation.gettext(sentence)


def test_what_cannot_be_read_of_a_value_is_told_with_it(tmp_path):
    with pytest.raises(ValueError) as caught:
        read_flag("perhaps", ZoneInfo("UTC"))
    assert str(caught.value) == '"perhaps" is neither True nor False.'
