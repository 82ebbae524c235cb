"""The text of an API key: `ssk1_` + 8 public characters + `_` + 32 secret characters + 6 of a checksum.

Migrated keys also have the two texts of SiteServer: a GUID, and its form encrypted with the installation's secret key.
"""

import hashlib
import re
import secrets
import string
import zlib

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
PREFIX = "ssk1_"
PATTERN = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_CHECKSUM = 6
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ENCRYPTED_END, _ENCRYPTED_LENGTH = "0secret0", 200


def make() -> str:
    """Generate a token with 190 random bits in its secret part."""
    body = f"{PREFIX}{_random(8)}_{_random(32)}"
    return body + _checksum(body)


def is_well_formed(text: str) -> bool:
    return bool(PATTERN.fullmatch(text)) and _checksum(text[:-_CHECKSUM]) == text[-_CHECKSUM:]


def is_of_siteserver(text: str) -> bool:
    is_encrypted = text.endswith(_ENCRYPTED_END) and len(text) <= _ENCRYPTED_LENGTH
    return is_encrypted or bool(_GUID.fullmatch(text))


def public_part(text: str) -> str:
    return text[len(PREFIX) : len(PREFIX) + 8]


def digest(text: str) -> str:
    """Return the stored form, SHA-256: fast on purpose, since the secret cannot be guessed."""
    return hashlib.sha256(text.encode()).hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _checksum(body: str) -> str:
    number, text = zlib.crc32(body.encode()), ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(ALPHABET))
        text = ALPHABET[digit] + text
    return text
