from django.utils.translation import gettext_lazy as _

# Method and path below /api/v1 → summary, in the words of the README.
SUMMARIES = {
    ("GET", "/changes"): _("lists changes after a cursor, and waits for them"),
}

# Name → seconds between two calls, function without parameters.
PERIODIC_TASKS = {
    "events.numbering": (0.25, "events.numbering.number_new"),
    "events.retention": (600.0, "events.retention.delete_old"),
}
