"""The peppers of stored passwords, and how a lost or replaced one is noticed: the database keeps a slow digest of each.

A pepper is generated only while no stored password uses one. Otherwise a data folder that is new, or lost its file,
would turn every password into a wrong one without a word.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

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

from cms_api.lib.environment import read_peppers
from cms_api.lib.start_settings import read_own_secret

T = TypeVar("T")
GENERATED_ID = "p1"
_BEGINS = "wire_argon2id$"
_DIGESTS = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# Found by the start of the server, and known to its workers.
_replaced: set[str] = set()


def usable() -> dict[str, str]:
    """The secrets by their ids, the newest first; generated if there is none and no stored password needs one.

    Raises ImproperlyConfigured if it is missing or not the one that it was.
    """
    if not settings.PASSWORD_PEPPERS:
        settings.PASSWORD_PEPPERS.update(_own())
    if (newest := next(iter(settings.PASSWORD_PEPPERS))) in _replaced:
        raise ImproperlyConfigured(
            f"No password is stored under the pepper {newest}, which is not the one that it was."
        )
    return settings.PASSWORD_PEPPERS


def known() -> dict[str, str]:
    """As `usable`, but empty if the pepper is missing: passwords do not verify then."""
    try:
        return usable()
    except ImproperlyConfigured:
        return dict(settings.PASSWORD_PEPPERS)


def record() -> None:
    """Keep a digest of each pepper that has none, and of one that no stored password uses."""
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
    """The ids of peppers that are not those with which stored passwords were made."""
    kept = _rows("PepperDigest").filter(pepper_id__in=settings.PASSWORD_PEPPERS)
    different = [row.pepper_id for row in kept if not _is_same(row.digest, settings.PASSWORD_PEPPERS[row.pepper_id])]
    return [pepper_id for pepper_id in different if is_in_use(pepper_id)]


def is_in_use(pepper_id: str) -> bool:
    """Return true if a stored password was made with this pepper."""
    return any(_rows(kind).filter(stored_under(pepper_id)).exists() for kind in ("Administrator", "User"))


def stored_under(pepper_id: str) -> Q:
    """Passwords made with the pepper of that id."""
    return begins(f"{_BEGINS}{pepper_id}$")


def begins(text: str) -> Q:
    """Passwords that begin with the text."""
    # Not startswith, in which SQLite takes no notice of letter case.
    return Q(Exact(Left("password", len(text)), Value(text)))


def _rows(model: str) -> models.Manager[Any]:
    # By its name, since the models need the hashers, which need this module.
    manager: models.Manager[Any] = apps.get_model("accounts", model)._default_manager
    return manager


def _own() -> dict[str, str]:
    path = settings.PASSWORD_PEPPER_FILE
    if not path.exists() and _ask_apart(_is_generated_in_use):
        raise ImproperlyConfigured(
            f"CMS_PASSWORD_PEPPERS is not set and {path} is missing, but stored passwords need it: restore the file."
        )
    return read_peppers(f"{GENERATED_ID}:{read_own_secret('CMS_PASSWORD_PEPPERS', path)}")


def _is_generated_in_use() -> bool:
    connection.ensure_connection()
    try:
        return is_in_use(GENERATED_ID)
    except (django.db.ProgrammingError, django.db.OperationalError):
        return False  # there are no tables yet


def _ask_apart(ask: Callable[[], T]) -> T:
    """The answer, found on another connection: threads that hash keep none, and requests may be in a transaction."""

    def answer() -> T:
        try:
            return ask()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(answer).result()


def _is_same(digest: str, secret: str) -> bool:
    try:
        return _DIGESTS.verify(digest, secret)
    except VerifyMismatchError:
        return False
