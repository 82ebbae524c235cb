"""`manage.py scan_for_keys`, the rule for scanners, and what neither may show."""

import io
import json
import os
import re
import socket
import sys
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from apikeys import scanning, tokens
from apikeys.models import ApiKeyToken
from cms_api.lib import clock
from tests.factories import AdministratorFactory, ApiKeyFactory

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


class Scan:
    """A run of the command: lines of both outputs, and the exit code."""

    def __init__(self, *arguments):
        out, err = StringIO(), StringIO()
        self.code, self.refusal = 0, ""
        try:
            call_command("scan_for_keys", *map(str, arguments), stdout=out, stderr=err)
        except CommandError as error:
            self.code, self.refusal = error.returncode, str(error)
        self.out, self.err = out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path):
    """A folder whose name is no part of what is claimed."""
    return tmp_path


def test_says_where_which_key_lies_and_what_it_still_opens(folder):
    keys = {
        "valid": ApiKeyFactory(name="news robot"),
        "revoked": ApiKeyFactory(),
        "expired": ApiKeyFactory(expires_at=clock.now()),
        "owner locked": ApiKeyFactory(administrator=AdministratorFactory(is_locked_out=True)),
    }
    keys["revoked"].revoke()
    lines = [f"KEY={key.token}" for key in keys.values()] + [f"OTHER={tokens.make()}"]
    (folder / "settings.env").write_text("\n" + "\n".join(lines))
    scan = Scan(folder)
    place = f"{folder}/settings.env"
    expected = [
        f'{place}:{number}: ssk1_{key.token[5:13]}_… "{key.name}" ({state})'
        for number, (state, key) in enumerate(keys.items(), 2)
    ]
    assert scan.out.splitlines()[:4] == expected
    assert re.fullmatch(rf"{place}:6: ssk1_\w{{8}}_… \(unknown here\)", scan.out.splitlines()[4])
    assert (scan.code, scan.refusal) == (1, "5 keys were found; reset or revoke those that are valid.")
    assert not any(key.token[14:] in scan.out + scan.err for key in keys.values())


def test_a_clean_folder_is_quiet(folder):
    (folder / "a.txt").write_text("nothing\n")
    scan = Scan(folder, folder / "a.txt")
    assert (scan.code, scan.out, scan.err) == (0, "", "")


TOKEN = tokens.make()
NONSENSE = [
    TOKEN[:-1] + ("0" if TOKEN[-1] != "0" else "1"),
    TOKEN[:-1],
    TOKEN.upper(),
    TOKEN.replace("_", "-"),
    "ssk1_AAAAAAAA_" + "0" * 38,
]


@pytest.mark.parametrize("text", NONSENSE, ids=["checksum", "short", "upper case", "dashes", "zeros"])
def test_what_only_resembles_a_key_alarms_nobody(folder, text):
    (folder / "a").write_text(text)
    assert Scan(folder).code == 0


HIDDEN = {
    "alone": TOKEN.encode(),
    "between letters": b"x" + TOKEN.encode() + b"0yz",
    "in bytes": b"\xff\0\x80" + TOKEN.encode() + b"\0\xfe",
    "in UTF-16": ("\ufeff密钥 " + TOKEN + "\r\n").encode("utf-16-le"),
    "in UTF-16, the other way round": TOKEN.encode("utf-16-be"),
    "within what resembles a key": b"ssk1_AAAAAAAA_" + b"0" * 34 + TOKEN.encode(),
    "in an address": b"https://example.org/api/v1/contents?apiKey=" + TOKEN.encode() + b"&x=1",
}


@pytest.mark.parametrize("data", HIDDEN.values(), ids=HIDDEN)
def test_a_key_is_found_wherever_it_hides(folder, data):
    (folder / "a").write_bytes(data)
    assert [found.token for found in scanning.scan([str(folder)], io.BytesIO())] == [TOKEN]


@pytest.mark.parametrize("encoding", ["ascii", "utf-16-le"])
def test_a_key_across_chunks_is_found_once_and_in_its_line(folder, monkeypatch, encoding):
    monkeypatch.setattr(scanning, "CHUNK", 97)
    for before in range(0, 300, 7):
        (folder / "a").write_bytes(("\n" * before + TOKEN + "\n" * 300).encode(encoding))
        assert list(scanning.scan([str(folder / "a")], io.BytesIO())) == [
            scanning.Finding(str(folder / "a"), before + 1, TOKEN)
        ]


def test_the_standard_input_is_looked_into(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"x\n{TOKEN}".encode())))
    assert Scan("-").out.startswith(f"standard input:2: {TOKEN[:14]}…")


def test_nothing_is_left_out_in_silence(folder):
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to(folder)
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(folder / "socket"))
    (folder / ".git").mkdir()
    scan = Scan(folder, folder / "missing")
    listener.close()
    for name in ("link", "loop", "broken"):
        assert f"{folder}/{name}: a symbolic link, which is not followed" in scan.err
    assert f"{folder}/pipe: not a file but a device, pipe or socket" in scan.err
    assert f"{folder}/socket: " in scan.err
    assert f"{folder}/missing: No such file or directory" in scan.err
    assert f"{folder}/.git: Git keeps older contents compressed" in scan.err
    assert (scan.code, scan.out) == (2, "")
    assert "not everything could be looked into" in scan.refusal


def test_links_alone_are_no_trouble_and_one_that_is_named_is_followed(folder):
    (folder / "inside").mkdir()
    (folder / "a").write_text(TOKEN)
    (folder / "inside" / "link").symlink_to(folder / "a")
    assert Scan(folder / "inside").code == 0
    assert Scan(folder / "inside" / "link").code == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_named(folder):
    (folder / "closed").mkdir(mode=0)
    scan = Scan(folder)
    assert scan.code == 2 and f"{folder}/closed: Permission denied" in scan.err


def test_hostile_names_have_no_power_over_the_terminal_and_show_no_key(folder):
    key = ApiKeyFactory(name='a "key"\x1b[31m\n')
    (folder / "a\n\x1b[31mb\u202e").write_text(key.token)
    (folder / f"{TOKEN}.txt").write_text("")
    (folder / os.fsdecode(b"\xff")).write_text(key.token)
    scan = Scan(folder)
    assert len(scan.out.splitlines()) == 3
    assert scan.out.isascii() is False and all(line.isprintable() for line in scan.out.splitlines())
    assert TOKEN not in scan.out and "(its name)" in scan.out
    assert r"a\n\x1b[31mb\u202e:1:" in scan.out


def test_findings_as_json(folder):
    key = ApiKeyFactory(name="新闻")
    (folder / "a").write_text(key.token)
    scan = Scan(folder, "--format", "json")
    assert json.loads(scan.out) == {
        "findings": [
            {
                "path": f"{folder}/a",
                "line": 1,
                "key": f"ssk1_{key.token[5:13]}_…",
                "name": "新闻",
                "state": "valid",
            }
        ],
        "complete": True,
    }
    assert json.loads(Scan(folder / "b", "--format", "json").out) == {"findings": [], "complete": False}


def test_a_public_part_alone_names_nobody(folder):
    key = ApiKeyFactory()
    ApiKeyToken.objects.update(public_part=TOKEN[5:13])
    (folder / "a").write_text(TOKEN)
    assert "(unknown here)" in Scan(folder).out and key.name not in Scan(folder).out


def test_works_without_a_database_and_says_so(folder, monkeypatch):
    def refuse(*arguments, **options):
        raise OperationalError("no\nserver")

    monkeypatch.setattr("django.db.models.query.QuerySet.first", refuse)
    (folder / "a").write_text(f"{TOKEN}\n{tokens.make()}")
    scan = Scan(folder)
    assert scan.code == 1 and scan.out.count("(not looked up)") == 2
    assert scan.err == "The database cannot be asked whose keys they are: no\\nserver\n"


def test_the_rule_for_scanners_knows_keys_by_their_form():
    (rule,) = tomllib.loads((ROOT / "apikeys" / "leaked_keys.toml").read_text(encoding="utf-8"))["rules"]
    pattern = re.compile(rule["regex"])
    for text in (TOKEN, f'"{TOKEN}"', f"apiKey={TOKEN}&x"):
        assert pattern.search(text)[rule["secretGroup"]] == TOKEN
        assert any(word in text.lower() for word in rule["keywords"])
    assert not any(pattern.search(text) for text in NONSENSE[1:4])
