"""How passwords are stored (design §9): argon2id over a keyed MD5, so that both wire forms verify."""

import hashlib
import hmac
import re
from typing import Any

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from django.conf import settings
from django.contrib.auth.hashers import BasePasswordHasher
from django.utils.crypto import get_random_string

from accounts.peppers import known, usable

_MD5 = re.compile(r"[0-9a-fA-F]{32}")
# About 20 ms and 19 MiB: the small set of the OWASP cheat sheet, since sign-in is open to everybody.
_ARGON2 = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1, type=Type.ID)
_STORED = re.compile(
    r"wire_argon2id\$([^$]*)(\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)", re.ASCII
)
# What no password leads to, at the cost of any other.
_NOBODYS = f"$argon2id$v=19$m={_ARGON2.memory_cost},t={_ARGON2.time_cost},p={_ARGON2.parallelism}${'A' * 22}${'A' * 43}"


def md5_form(plain: str) -> str:
    """What clients send in place of a password: lower-case hexadecimal MD5 of its UTF-8 form."""
    return hashlib.md5(plain.encode(), usedforsecurity=False).hexdigest()


def is_md5_form(text: str) -> bool:
    """Whether the text is 32 hexadecimal digits."""
    return bool(_MD5.fullmatch(text))


def encode_md5(md5: str) -> str:
    """Store form of a password that is given by its MD5 form, under the newest pepper; argon2 draws the salt."""
    pepper_id = next(iter(usable()))
    return f"{WirePasswordHasher.algorithm}${pepper_id}{_ARGON2.hash(_keyed(md5.lower(), pepper_id))}"


def verify_md5(md5: str, encoded: str) -> bool:
    """Whether the MD5 form, in either letter case, is that of the stored password; False without a usable one.

    It hashes once in any case, so that the time does not tell accounts without a usable password.
    """
    stored = _STORED.fullmatch(encoded)
    pepper_id, argon2_text = stored.groups() if stored else ("", "")
    if pepper_id not in known():
        pepper_id, argon2_text = "", _NOBODYS
    try:
        return _ARGON2.verify(argon2_text, _keyed(md5.lower(), pepper_id))
    except (VerificationError, InvalidHashError):
        return False


class WirePasswordHasher(BasePasswordHasher):
    """`wire_argon2id$<pepper id>$<argon2 text>`; the pepper is kept outside the database.

    Django's calls take the plain password. Operations of the interface that present the MD5 form use
    `verify_md5`; a caller chooses one of the two and never tries both.
    """

    algorithm = "wire_argon2id"

    def encode(self, password: str, salt: str) -> str:
        """Store form of a plain password; the salt is not used."""
        return encode_md5(md5_form(password))

    def verify(self, password: str, encoded: str) -> bool:
        """Whether the plain password is the stored one."""
        return verify_md5(md5_form(password), encoded)

    def must_update(self, encoded: str) -> bool:
        """Whether pepper or cost are older than today's."""
        _, pepper_id, argon2_text = encoded.split("$", 2)
        is_old_pepper = pepper_id != next(iter(known()), pepper_id)
        return is_old_pepper or _ARGON2.check_needs_rehash(f"${argon2_text}")

    def harden_runtime(self, password: str, encoded: str) -> None:
        """Nothing to do: every stored form costs the same."""

    def salt(self) -> str:
        """Unused by argon2; Django asks for one."""
        return get_random_string(22)

    def safe_summary(self, encoded: str) -> dict[Any, Any]:
        """What the admin may show."""
        return {"algorithm": self.algorithm, "pepper": encoded.split("$", 2)[1]}


def _keyed(md5: str, pepper_id: str) -> bytes:
    return hmac.digest(settings.PASSWORD_PEPPERS.get(pepper_id, "").encode(), md5.encode(), "sha256")
