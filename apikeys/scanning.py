"""Looks for keys in files, whatever they are; a key is known by its form and its checksum, without a database."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from apikeys import tokens

CHUNK = 1 << 20  # bytes
STANDARD_INPUT = "-"
# Looked ahead for, so that what only resembles a key hides none that begins within it.
_PLAIN = re.compile(rb"(?=(ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}))")
# The same in UTF-16, as some editors and shells write: a zero between any two characters.
_WIDE = re.compile(
    rb"(?=(s\0s\0k\x001\0_\0(?:[0-9A-Za-z]\0){8}_\0(?:[0-9A-Za-z]\0){37}[0-9A-Za-z]))",
)
_LONGEST = 2 * 52  # bytes of a key
_PACKED = "Git keeps older contents compressed, which are not looked into; `git log -p --all` tells them"


@dataclass(frozen=True, slots=True)
class Finding:
    """A key in a file; line 0 is the file's own name."""

    path: str
    line: int
    token: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not looked into, and why; a note is none that somebody should mend."""

    path: str
    reason: str
    is_note: bool = False


def scan(paths: Iterable[str], standard_input: IO[bytes]) -> Iterator[Finding | Problem]:
    """What is found in files and folders, and what could not be looked into; `-` is the standard input."""
    for path in paths:
        if path == STANDARD_INPUT:
            yield from _scan_stream("standard input", standard_input)
        else:
            yield from _scan_path(path)


def _scan_path(path: str) -> Iterator[Finding | Problem]:
    """A path that somebody has named is followed, where it is a link, too."""
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError) as error:
        yield Problem(path, _reason(error))
        return
    if is_folder:
        yield from _scan_folder(path)
    else:
        yield from _scan_file(path, follow=True)


def _scan_folder(top: str) -> Iterator[Finding | Problem]:
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield Problem(folder, _reason(error))
            continue
        for entry in found:
            yield from (Finding(entry.path, 0, token) for _, token in _tokens(os.fsencode(entry.name)))
            if entry.is_symlink():
                yield Problem(entry.path, "a symbolic link, which is not followed", is_note=True)
                continue
            if entry.name == ".git":
                yield Problem(entry.path, _PACKED, is_note=True)
            if not entry.is_dir(follow_symlinks=False):
                yield from _scan_file(entry.path)
        waiting += [entry.path for entry in reversed(found) if entry.is_dir(follow_symlinks=False)]


def _scan_file(path: str, *, follow: bool = False) -> Iterator[Finding | Problem]:
    # Without waiting for whoever might write into a pipe; and what has become a link meanwhile is not followed.
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        yield Problem(path, _reason(error))
        return
    with open(descriptor, "rb") as stream:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            yield from _scan_stream(path, stream)
        else:
            yield Problem(path, "not a file but a device, pipe or socket")


def _scan_stream(path: str, stream: IO[bytes]) -> Iterator[Finding | Problem]:
    line, kept = 1, b""
    try:
        while chunk := stream.read(CHUNK):
            text = kept + chunk
            for start, token in _tokens(text, after=len(kept)):
                yield Finding(path, line + text.count(b"\n", 0, start), token)
            # A key that the next chunk ends begins in what is kept.
            rest = len(text) - (_LONGEST - 1)
            line += text.count(b"\n", 0, max(rest, 0))
            kept = text[max(rest, 0) :]
    except OSError as error:
        yield Problem(path, _reason(error))


def _tokens(text: bytes, after: int = 0) -> Iterator[tuple[int, str]]:
    """Where keys begin, and their texts; those that end by `after` have been told before."""
    found = {}
    for pattern in (_PLAIN, _WIDE):
        for match in pattern.finditer(text):
            token = match[1].replace(b"\0", b"").decode("ascii")
            if match.end(1) > after and tokens.is_well_formed(token):
                found[match.start()] = token
    return iter(sorted(found.items()))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
