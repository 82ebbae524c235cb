"""What answers show as `password` and `passwordSalt`: texts that follow from nothing secret (design §9)."""

import hashlib
from binascii import b2a_base64
from functools import lru_cache

from django.conf import settings

_PASSWORD_BYTES, _SALT_BYTES = 32, 16


def stand_ins(kind: str, account_id: int, password_stamp: str) -> tuple[str, str]:
    """The two members for an account: Base64 of 32 and of 16 bytes, stable until the password changes.

    `kind` is "user" or "administrator". Who knows them, and all the others, can tell neither passwords nor
    which of them are equal.
    """
    # BLAKE2b with a key is a message authentication code, and a list has one for every account.
    digest = hashlib.blake2b(
        f"{kind}|{account_id}|{password_stamp}".encode(),
        key=_key(settings.SECRET_KEY),
        digest_size=_PASSWORD_BYTES + _SALT_BYTES,
    ).digest()
    password, salt = digest[:_PASSWORD_BYTES], digest[_PASSWORD_BYTES:]
    return b2a_base64(password, newline=False).decode(), b2a_base64(salt, newline=False).decode()


@lru_cache(maxsize=1)
def _key(secret: str) -> bytes:
    return hashlib.blake2b(secret.encode(), person=b"accounts shown").digest()
