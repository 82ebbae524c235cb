"""The peppers of stored passwords; the database stores a slow digest of each, to detect a lost or replaced pepper.

A pepper is generated only while no stored password uses one. Otherwise a new data folder, or one that lost its file,
would silently make every password wrong.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django.db
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, models
from django.db.models import Q, Value
from django.db.models.functions import Left
from django.db.models.lookups import Exact

from core.lib.environment import read_own_secret, read_peppers

GENERATED_ID = "p1"
_BEGINS = "wire_argon2id$"
_DIGESTS = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# Filled when the server starts, and inherited by its workers.
_replaced: set[str] = set()


def usable() -> dict[str, str]:
    """Return secrets by id, newest first, generated if no password needs one. Raises ImproperlyConfigured."""
    if not settings.PASSWORD_PEPPERS:
        path = settings.PASSWORD_PEPPER_FILE
        if not path.exists() and _is_generated_in_use():
            missing = f"CMS_PASSWORD_PEPPERS is not set and {path} is missing"
            raise ImproperlyConfigured(f"{missing}, but stored passwords need it: restore the file.")
        text = f"{GENERATED_ID}:{read_own_secret('CMS_PASSWORD_PEPPERS', path)}"
        settings.PASSWORD_PEPPERS.update(read_peppers(text))
    if (newest := next(iter(settings.PASSWORD_PEPPERS))) in _replaced:
        raise ImproperlyConfigured(f"The pepper {newest} has been replaced, so no password is stored under it.")
    return settings.PASSWORD_PEPPERS


def known() -> dict[str, str]:
    """Like `usable`, but without error if the pepper is missing: passwords do not verify then."""
    try:
        return usable()
    except ImproperlyConfigured:
        return dict(settings.PASSWORD_PEPPERS)


def record() -> None:
    peppers, digests = known(), _rows("PepperDigest")
    kept = dict(digests.values_list("pepper_id", "digest"))
    for pepper_id in [name for name in peppers if name in kept and not _is_same(kept[name], peppers[name])]:
        if not is_in_use(pepper_id):
            digests.filter(pepper_id=pepper_id).delete()
            del kept[pepper_id]
    digests.bulk_create(
        [digests.model(pepper_id=name, digest=_DIGESTS.hash(peppers[name])) for name in peppers if name not in kept],
        ignore_conflicts=True,  # another node may start at the same time
    )
    _replaced.clear()
    _replaced.update(replaced())


def replaced() -> list[str]:
    kept = _rows("PepperDigest").filter(pepper_id__in=settings.PASSWORD_PEPPERS)
    different = [row.pepper_id for row in kept if not _is_same(row.digest, settings.PASSWORD_PEPPERS[row.pepper_id])]
    return [pepper_id for pepper_id in different if is_in_use(pepper_id)]


def is_in_use(pepper_id: str) -> bool:
    return any(_rows(kind).filter(stored_under(pepper_id)).exists() for kind in ("Administrator", "User"))


def stored_under(pepper_id: str) -> Q:
    return begins(f"{_BEGINS}{pepper_id}$")


def begins(text: str) -> Q:
    # Not startswith, which ignores letter case on SQLite.
    return Q(Exact(Left("password", len(text)), Value(text)))


def _rows(model: str) -> models.Manager[Any]:
    # By name: the models import the hashers, which import this module.
    manager: models.Manager[Any] = apps.get_model("accounts", model)._default_manager
    return manager


def _is_generated_in_use() -> bool:
    """Query on another connection: hashing threads have none, and requests may be in a transaction."""

    def ask() -> bool:
        try:
            connection.ensure_connection()
            return is_in_use(GENERATED_ID)
        except (django.db.ProgrammingError, django.db.OperationalError):
            return False  # there are no tables yet
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(ask).result()


def _is_same(digest: str, secret: str) -> bool:
    try:
        return _DIGESTS.verify(digest, secret)
    except VerifyMismatchError:
        return False
