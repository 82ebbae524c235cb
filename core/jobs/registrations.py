from django.utils.translation import gettext_lazy as _

from core.lib.registrations import MenuItem, PeriodicTask, StartCard

ERROR_MESSAGES = {
    "too_many_jobs": _("You already have %(most)d jobs waiting or running. Try again when one of them has ended."),
}

MENU = {
    "jobs.Job": MenuItem("system", 30, _("Jobs")),
}

CARDS = {
    "jobs.Job": StartCard(60, "jobs", _("Jobs"), _("See the progress and results of imports and other long jobs.")),
}

# A job left waiting by a crash may have no visitor whose page would start it.
PERIODIC_TASKS = {"jobs.waiting": PeriodicTask(10.0, "core.jobs.running.start_waiting")}
