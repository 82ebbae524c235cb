"""Stored passwords: argon2id over a keyed MD5, so that both wire forms (plain and MD5) verify."""

import hashlib
import hmac
import re
from typing import Any

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from django.conf import settings
from django.contrib.auth.hashers import BasePasswordHasher

from accounts.peppers import known, usable

_MD5 = re.compile(r"[0-9a-fA-F]{32}")
# About 20 ms and 19 MiB: the small parameter set of the OWASP cheat sheet, since sign-in is public.
_ARGON2 = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1, type=Type.ID)
_STORED = re.compile(
    r"wire_argon2id\$([^$]*)(\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)", re.ASCII
)
# No password matches it; verifying costs as much as any other.
_NOBODYS = f"$argon2id$v=19$m={_ARGON2.memory_cost},t={_ARGON2.time_cost},p={_ARGON2.parallelism}${'A' * 22}${'A' * 43}"


def md5_form(plain: str) -> str:
    """Return the text that clients send instead of a password: lower-case hexadecimal MD5 of its UTF-8 form."""
    return hashlib.md5(plain.encode(), usedforsecurity=False).hexdigest()


def is_md5_form(text: str) -> bool:
    return bool(_MD5.fullmatch(text))


def encode_md5(md5: str) -> str:
    """Return the stored form of a password from its MD5, under the newest pepper, with a random salt."""
    pepper_id = next(iter(usable()))
    return f"{WirePasswordHasher.algorithm}${pepper_id}{_ARGON2.hash(_keyed(md5.lower(), pepper_id))}"


def verify_md5(md5: str, encoded: str) -> bool:
    """Compare the MD5 form; always hashes once, so that timing does not reveal accounts without a usable password."""
    stored = _STORED.fullmatch(encoded)
    pepper_id, argon2_text = stored.groups() if stored else ("", "")
    if pepper_id not in known():
        pepper_id, argon2_text = "", _NOBODYS
    try:
        return _ARGON2.verify(argon2_text, _keyed(md5.lower(), pepper_id))
    except (VerificationError, InvalidHashError):
        return False


class WirePasswordHasher(BasePasswordHasher):
    """`wire_argon2id$<pepper id>$<argon2 text>`; Django's calls take the plain password, `verify_md5` the MD5 form."""

    algorithm = "wire_argon2id"

    def encode(self, password: str, salt: str) -> str:
        return encode_md5(md5_form(password))

    def verify(self, password: str, encoded: str) -> bool:
        return verify_md5(md5_form(password), encoded)

    def must_update(self, encoded: str) -> bool:
        _, pepper_id, argon2_text = encoded.split("$", 2)
        is_old_pepper = pepper_id != next(iter(known()), pepper_id)
        return is_old_pepper or _ARGON2.check_needs_rehash(f"${argon2_text}")

    def harden_runtime(self, password: str, encoded: str) -> None:
        """Do nothing: every stored form costs the same."""

    def safe_summary(self, encoded: str) -> dict[Any, Any]:
        return {"algorithm": self.algorithm, "pepper": encoded.split("$", 2)[1]}


def _keyed(md5: str, pepper_id: str) -> bytes:
    return hmac.digest(settings.PASSWORD_PEPPERS.get(pepper_id, "").encode(), md5.encode(), "sha256")
