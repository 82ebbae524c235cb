"""Stored times have no offset, so all writers to a database must have the same CMS_TIME_ZONE."""

from django.conf import settings

from core.operation.models import Installation


def problem() -> str:
    """Return why no server may start with CMS_TIME_ZONE; the first server records its own. Raises Error."""
    if not recorded():
        # Servers may start concurrently: one of them stores its own.
        Installation.objects.bulk_create([Installation(pk=1)], ignore_conflicts=True)
        Installation.objects.filter(time_zone="").update(time_zone=settings.TIME_ZONE)
    return difference()


def difference() -> str:
    """Return a sentence if CMS_TIME_ZONE is not the time zone of the database. Raises Error."""
    if (known := recorded()) in {"", settings.TIME_ZONE}:
        return ""
    return (
        f"CMS_TIME_ZONE is {settings.TIME_ZONE}, but the times in the database are of {known}. Set it to {known}; if "
        "the first server had the wrong one, stop all servers and run manage.py change_time_zone (docs/operations.md)."
    )


def record() -> None:
    Installation.objects.update_or_create(pk=1, defaults={"time_zone": settings.TIME_ZONE})


def recorded() -> str:
    return Installation.objects.values_list("time_zone", flat=True).first() or ""
