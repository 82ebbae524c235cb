"""Uploaded tables between preview and import: encrypted in the database, for two hours at most."""

import hashlib
import zlib
from datetime import timedelta
from uuid import UUID

from Cryptodome.Cipher import AES
from django.conf import settings

from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.models import PendingImport

AGE = timedelta(hours=2)
_MAX = 5  # per administrator; the oldest are deleted
_NONCE, _TAG = 16, 16  # bytes


def keep(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> PendingImport:
    forget_old()
    own = PendingImport.objects.filter(administrator_id=administrator_id).order_by("-created_at", "-id")
    oldest = set(own.values_list("pk", flat=True)[_MAX - 1 :]) - in_jobs()
    PendingImport.objects.filter(pk__in=oldest).delete()
    return add(kind, administrator_id, name, data, choices)


def add(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> PendingImport:
    """Store the data without deleting or locking other tables."""
    cipher = AES.new(_key(), AES.MODE_GCM)
    encrypted, tag = cipher.encrypt_and_digest(zlib.compress(data, 1))
    locked = bytes(cipher.nonce) + tag + encrypted
    return PendingImport.objects.create(
        kind=kind, administrator_id=administrator_id, name=name[:255], data=locked, choices=choices
    )


def find(administrator_id: int, kind: str, kept_id: str) -> PendingImport | None:
    """Return the administrator's table with that id, unless it is gone or too old."""
    try:
        number = UUID(kept_id)
    except ValueError:
        return None
    found = PendingImport.objects.filter(pk=number, administrator_id=administrator_id, kind=kind)
    return found.filter(created_at__gte=clock.now() - AGE).first()


def forget_old() -> None:
    PendingImport.objects.filter(created_at__lt=clock.now() - AGE).exclude(pk__in=in_jobs()).delete()


def in_jobs() -> set[UUID]:
    jobs = Job.objects.under_way().filter(parameters__has_key="kept")
    return {UUID(kept) for kept in jobs.values_list("parameters__kept", flat=True)}


def read(kept: PendingImport) -> bytes:
    """Return the stored data. Raises `ValueError` if the service's secret key has changed."""
    data = bytes(kept.data)
    nonce, tag, encrypted = data[:_NONCE], data[_NONCE : _NONCE + _TAG], data[_NONCE + _TAG :]
    return zlib.decompress(AES.new(_key(), AES.MODE_GCM, nonce=nonce).decrypt_and_verify(encrypted, tag))


def derived_key(purpose: str) -> bytes:
    """Derive a key from the service's secret key; `purpose` has at most 16 letters."""
    return hashlib.blake2b(settings.SECRET_KEY.encode(), digest_size=32, person=purpose.encode()).digest()


def _key() -> bytes:
    return derived_key("kept tables")
