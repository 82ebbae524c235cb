"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Sentences for people, by the code of the error.
REFUSALS = {
    "too_many_jobs": _("%(most)d of your jobs wait or run already. Ask again when one of them has ended."),
}

# The menu of the admin: model → group, place, title.
MENU = {
    "jobs.Job": ("utilities", 20, _("Jobs")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "jobs.Job": (60, "jobs", _("Jobs"), _("See how far imports and other long work have come, and what came of them.")),
}
