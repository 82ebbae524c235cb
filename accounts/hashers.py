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

_MD5 = re.compile(r"[0-9a-fA-F]{32}")
# About 20 ms and 19 MiB: the small set of the OWASP cheat sheet, since sign-in is open to everybody.
_ARGON2 = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1, type=Type.ID)


def md5_form(plain: str) -> str:
    """What clients send in place of a password: lower-case hexadecimal MD5 of its UTF-8 form."""
    return hashlib.md5(plain.encode(), usedforsecurity=False).hexdigest()


def is_md5_form(text: str) -> bool:
    """Whether the text is 32 hexadecimal digits."""
    return bool(_MD5.fullmatch(text))


class WirePasswordHasher(BasePasswordHasher):
    """`wire_argon2id$<pepper id>$<argon2 text>`; the pepper is kept outside the database.

    Django's calls take the plain password. `verify_md5` takes the MD5 form, for the operations of
    the interface that present it; a caller chooses one of the two and never tries both.
    """

    algorithm = "wire_argon2id"

    def encode(self, password: str, salt: str) -> str:
        """Store form of a plain password under the newest pepper; argon2 draws its own salt."""
        pepper_id = next(iter(settings.PASSWORD_PEPPERS))
        return f"{self.algorithm}${pepper_id}{_ARGON2.hash(_keyed(md5_form(password), pepper_id))}"

    def verify(self, password: str, encoded: str) -> bool:
        """Whether the plain password is the stored one."""
        return self.verify_md5(md5_form(password), encoded)

    def verify_md5(self, md5: str, encoded: str) -> bool:
        """Whether the MD5 form, in either letter case, is that of the stored password."""
        if not encoded.startswith(f"{self.algorithm}$"):
            return False  # an account without a usable password
        _, pepper_id, argon2_text = encoded.split("$", 2)
        if pepper_id not in settings.PASSWORD_PEPPERS:
            return False
        try:
            return _ARGON2.verify(f"${argon2_text}", _keyed(md5.lower(), pepper_id))
        except (VerificationError, InvalidHashError):
            return False

    def must_update(self, encoded: str) -> bool:
        """Whether pepper or cost are older than today's."""
        _, pepper_id, argon2_text = encoded.split("$", 2)
        is_old_pepper = pepper_id != next(iter(settings.PASSWORD_PEPPERS))
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
    return hmac.digest(settings.PASSWORD_PEPPERS[pepper_id].encode(), md5.encode(), "sha256")
