"""Passwords and API keys of SiteServer as plain texts, which callers must hash immediately and never store or
report."""

import re
from binascii import a2b_base64
from contextlib import suppress

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import unpad

from migration.sources.source import Row
from migration.values import text
from transfer.values import INITIAL_VECTOR

_END = "0secret0"
_ESCAPES = {"0add0": "+", "0equals0": "=", "0and0": "&", "0question0": "?", "0quote0": "'", "0slash0": "/"}
_ANY_ESCAPE = re.compile("|".join(_ESCAPES))
_SM4_KEY = re.compile(r"([0-9a-fA-F]{32})\.([0-9a-fA-F]{32})")  # key and initial vector
_SM4_BLOCK = 16
_FORMATS = {"hashed": "Hashed", "clear": "Clear", "sm4": "SM4"}  # anything else is Encrypted


def format_of(row: Row) -> str:
    """Return the format of an account's password; an unknown one counts as Encrypted, as in SiteServer."""
    return _FORMATS.get(text(row.get("passwordformat")).strip().casefold(), "Encrypted")


def recover_password(row: Row) -> str | None:
    """Return an account's password, or None if it cannot be recovered or is empty."""
    stored, salt = text(row.get("password")), text(row.get("passwordsalt"))
    kind = format_of(row)
    if kind == "Hashed":
        return None
    if kind == "Clear":
        return stored or None
    return (_decrypt_sm4(stored, salt) if kind == "SM4" else _decrypt_des(stored, salt)) or None


def decrypt(stored: str, secret_key: str) -> str | None:
    """Decrypt a value that an installation has encrypted with its secret key, such as an API key; None if it cannot be
    read."""
    if _SM4_KEY.fullmatch(secret_key):
        return _decrypt_sm4(stored, secret_key)
    return _decrypt_des(stored, secret_key)


def _decrypt_des(stored: str, key: str) -> str | None:
    if stored.endswith(_END):  # version 7; databases that came from version 6 have both forms
        stored = _ANY_ESCAPE.sub(lambda match: _ESCAPES[match[0]], stored.removesuffix(_END))
    try:
        cipher = DES.new(key[:8].encode(), DES.MODE_CBC, INITIAL_VECTOR)  # noqa: S304 - a file format, no protection
        return unpad(cipher.decrypt(a2b_base64(stored, strict_mode=True)), DES.block_size).decode()
    except ValueError:
        return None


def _decrypt_sm4(stored: str, key_and_vector: str) -> str | None:
    match = _SM4_KEY.fullmatch(key_and_vector)
    if match is None:
        return None
    key, vector = match.groups()
    # SiteServer takes the first characters literally, or the bytes that the digits represent.
    for way in ((key[:16].encode(), vector[:16].encode()), (bytes.fromhex(key), bytes.fromhex(vector))):
        with suppress(ValueError):
            return _decrypted_sm4(bytes.fromhex(stored), *way).decode()
    return None


def _decrypted_sm4(data: bytes, key: bytes, vector: bytes) -> bytes:
    try:
        # An optional requirement, for a format that few installations have.
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise ValueError("SM4 needs the package cryptography.") from error
    decryptor = Cipher(algorithms.SM4(key), modes.CBC(vector)).decryptor()
    return unpad(decryptor.update(data) + decryptor.finalize(), _SM4_BLOCK)
