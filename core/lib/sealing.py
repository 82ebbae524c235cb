"""Encryption of temporary data in the database (AES-GCM), and digests of secrets."""

import hashlib
import zlib
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from Cryptodome.Cipher._mode_gcm import GcmMode

_NONCE, _TAG = 16, 16  # bytes


def derived_key(purpose: str, *parts: str) -> bytes:
    """Derive a key from the service's secret key; `purpose` has at most 16 letters."""
    digest = hashlib.blake2b(settings.SECRET_KEY.encode(), digest_size=32, person=purpose.encode())
    for part in parts:
        digest.update(b"\0" + part.encode())
    return digest.digest()


def slow_digest(secret: str, salt: str) -> str:
    """Return a digest for comparing secrets, costly enough that even a short secret cannot be guessed."""
    return hashlib.scrypt(secret.encode(), salt=salt.encode(), n=2**14, r=8, p=1, dklen=16).hex()


def seal(key: bytes, data: bytes) -> bytes:
    cipher = _cipher(key)
    encrypted, tag = cipher.encrypt_and_digest(zlib.compress(data, 1))
    return bytes(cipher.nonce) + tag + encrypted


def unseal(key: bytes, sealed: bytes) -> bytes:
    """Return the data. Raises `ValueError` if it was sealed with another key."""
    nonce, tag, encrypted = sealed[:_NONCE], sealed[_NONCE : _NONCE + _TAG], sealed[_NONCE + _TAG :]
    return zlib.decompress(_cipher(key, nonce).decrypt_and_verify(encrypted, tag))


def _cipher(key: bytes, nonce: bytes | None = None) -> "GcmMode":
    from Cryptodome.Cipher import AES  # imported here: it would make each start of the service a twentieth slower

    return AES.new(key, AES.MODE_GCM, nonce=nonce)
