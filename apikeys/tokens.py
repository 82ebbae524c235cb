"""The text of an API key: `ssk1_` + 8 public characters + `_` + 32 secret + 6 of a checksum (design §6)."""

import hashlib
import re
import secrets
import string
import zlib

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
PREFIX = "ssk1_"
PATTERN = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_CHECKSUM = 6


def make() -> str:
    """A new token with 190 random bits in its secret part."""
    body = f"{PREFIX}{_random(8)}_{_random(32)}"
    return body + _checksum(body)


def is_well_formed(text: str) -> bool:
    """Whether the text has the form of a token and its checksum is right; asks no database."""
    return bool(PATTERN.fullmatch(text)) and _checksum(text[:-_CHECKSUM]) == text[-_CHECKSUM:]


def public_part(text: str) -> str:
    """The part that may be shown in lists and logs."""
    return text[len(PREFIX) : len(PREFIX) + 8]


def digest(text: str) -> str:
    """What is stored: SHA-256, fast on purpose, since the secret cannot be guessed."""
    return hashlib.sha256(text.encode()).hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _checksum(body: str) -> str:
    number, text = zlib.crc32(body.encode()), ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(ALPHABET))
        text = ALPHABET[digit] + text
    return text
