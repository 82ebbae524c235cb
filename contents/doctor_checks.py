from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings

from contents.lists import derived_tables
from contents.models import Content, ContentChange
from core.lib import clock
from core.operation.doctor import Finding, doctor_check, risky, wrong
from core.operation.doctor_checks import GRACE


@doctor_check("Trash and history")
def _old() -> Iterator[Finding]:
    now = clock.now()
    before = now - timedelta(days=settings.CMS_TRASH_DAYS) - GRACE
    if Content.objects.filter(trashed_at__lt=before).exists():
        told = f"Contents have been in the trash for longer than CMS_TRASH_DAYS ({settings.CMS_TRASH_DAYS})"
        yield risky(f"{told}.", "Run manage.py purge trash every day.")
    if days := settings.CMS_HISTORY_DAYS:
        oldest = ContentChange.objects.order_by("at", "id").values_list("at", flat=True).first()
        if oldest is not None and oldest < now - timedelta(days=days) - GRACE:
            told = f"The history of contents goes further back than CMS_HISTORY_DAYS ({days})"
            yield risky(f"{told}.", "Run manage.py purge history every day.")


@doctor_check("Lists of contents", is_thorough=True)
def _lists() -> Iterator[Finding]:
    if found := sum(1 for _ in derived_tables.differences()):
        yield wrong(f"Lists and counts differ from the contents in {found} places.", "Run: check_lists --repair")
