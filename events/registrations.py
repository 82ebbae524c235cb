from django.utils.translation import gettext_lazy as _

from core.lib.registrations import PeriodicTask

SUMMARIES = {
    ("GET", "/changes"): _("lists changes after a cursor, and waits for them"),
}

PERIODIC_TASKS = {
    "events.numbering": PeriodicTask(0.25, "events.numbering.number_new"),
    "events.retention": PeriodicTask(600.0, "events.retention.delete_old"),
}
