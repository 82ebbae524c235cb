"""Uploaded tables between preview and import: encrypted in the database, for two hours at most."""

from datetime import timedelta
from uuid import UUID

from core.jobs.models import Job
from core.lib import clock
from core.lib.sealing import derived_key, seal, unseal
from core.models import PendingImport

AGE = timedelta(hours=2)
_MAX = 5  # per administrator; the oldest are deleted


def keep(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> PendingImport:
    forget_old()
    own = PendingImport.objects.filter(administrator_id=administrator_id).order_by("-created_at", "-id")
    oldest = set(own.values_list("pk", flat=True)[_MAX - 1 :]) - in_jobs()
    PendingImport.objects.filter(pk__in=oldest).delete()
    return add(kind, administrator_id, name, data, choices)


def add(kind: str, administrator_id: int, name: str, data: bytes, choices: dict[str, object]) -> PendingImport:
    """Store the data without deleting or locking other tables."""
    locked = seal(_key(), data)
    return PendingImport.objects.create(
        kind=kind, administrator_id=administrator_id, name=name[:255], data=locked, choices=choices
    )


def find(administrator_id: int, kind: str, kept_id: str) -> PendingImport | None:
    """Return the administrator's table with that id, unless it is deleted or too old."""
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
    return unseal(_key(), bytes(kept.data))


def _key() -> bytes:
    return derived_key("kept tables")
