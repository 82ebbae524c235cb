"""Clears away jobs of before, and what is left of them, whenever somebody asks for another one."""

from contextlib import suppress
from datetime import timedelta

from django.db import OperationalError, connection
from django.utils.translation import gettext_lazy as _

from cms_api.jobs import folders
from cms_api.jobs.models import Job
from cms_api.jobs.words import in_every_language
from cms_api.lib import clock
from cms_api.lib.statement_limit import without_waiting

_WAITS = timedelta(days=1)  # for its turn; who asked has given it up by then
_KEPT = timedelta(days=30)  # jobs that have ended


def clear_away() -> None:
    """End jobs that did not begin, remove those that ended long ago, folders of none, and uploads that nobody used."""
    # While another job writes on SQLite this has to wait, for the next time somebody asks.
    with suppress(OperationalError), without_waiting(connection):
        _end_unbegun()
        Job.objects.filter(ended_at__lt=clock.now() - _KEPT).delete()
    folders.remove_strangers(Job.objects.values_list("pk", flat=True))
    folders.remove_old_uploads()


def _end_unbegun() -> None:
    waiting = Job.objects.filter(state=Job.State.WAITING)
    for job in waiting.filter(asked_at__lt=clock.now() - _WAITS):
        report = in_every_language({"problem": _("It did not begin within a day; ask for it again."), "place": ""})
        # It may begin at this very moment.
        waiting.filter(pk=job.pk).update(state=Job.State.FAILED, report=report, ended_at=clock.now())
