"""Tables between their preview and their import: in the database, encrypted, for two hours at most."""

import hashlib
import zlib
from datetime import timedelta
from uuid import UUID

from Cryptodome.Cipher import AES
from django.conf import settings

from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.models import KeptTable

AGE = timedelta(hours=2)
_MOST = 5  # of one administrator; the oldest go
_NONCE, _TAG = 16, 16  # bytes


def keep(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> KeptTable:
    """Keeps the data of a table, and deletes what is too old or too much."""
    forget_old()
    own = KeptTable.objects.filter(administrator_id=administrator_id).order_by("-created_at", "-id")
    oldest = set(own.values_list("pk", flat=True)[_MOST - 1 :]) - in_jobs()
    KeptTable.objects.filter(pk__in=oldest).delete()
    return add(kind, administrator_id, name, data, choices)


def add(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> KeptTable:
    """Keeps the data without deleting others, and locks none of them."""
    return KeptTable.objects.create(
        kind=kind, administrator_id=administrator_id, name=name[:255], data=_locked(data), choices=choices
    )


def find(administrator_id: int, kind: str, kept_id: str) -> KeptTable | None:
    """The administrator's table of that number, unless it is gone or too old."""
    try:
        number = UUID(kept_id)
    except ValueError:
        return None
    found = KeptTable.objects.filter(pk=number, administrator_id=administrator_id, kind=kind)
    return found.filter(created_at__gte=clock.now() - AGE).first()


def forget_old() -> None:
    """Delete what is too old, unless a job is going to store it."""
    KeptTable.objects.filter(created_at__lt=clock.now() - AGE).exclude(pk__in=in_jobs()).delete()


def in_jobs() -> set[UUID]:
    """The tables that wait for a job, or are being stored by one."""
    jobs = Job.objects.under_way().filter(parameters__has_key="kept")
    return {UUID(kept) for kept in jobs.values_list("parameters__kept", flat=True)}


def read(kept: KeptTable) -> bytes:
    """The data as they were kept. Raises ValueError where the service's key is another than then."""
    data = bytes(kept.data)
    nonce, tag, rest = data[:_NONCE], data[_NONCE : _NONCE + _TAG], data[_NONCE + _TAG :]
    return zlib.decompress(AES.new(_key(), AES.MODE_GCM, nonce=nonce).decrypt_and_verify(rest, tag))


def _locked(data: bytes) -> bytes:
    cipher = AES.new(_key(), AES.MODE_GCM)
    rest, tag = cipher.encrypt_and_digest(zlib.compress(data, 1))
    return bytes(cipher.nonce) + tag + rest


def derived_key(purpose: str) -> bytes:
    """A key for one purpose, of at most 16 letters, that follows from that of the service."""
    return hashlib.blake2b(settings.SECRET_KEY.encode(), digest_size=32, person=purpose.encode()).digest()


def _key() -> bytes:
    return derived_key("kept tables")
