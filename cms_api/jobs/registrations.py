from django.utils.translation import gettext_lazy as _

# Messages by error code.
ERROR_MESSAGES = {
    "too_many_jobs": _("You already have %(most)d jobs waiting or running. Try again when one of them has ended."),
}

# Admin menu: model → group, place, title.
MENU = {
    "jobs.Job": ("utilities", 20, _("Jobs")),
}

# Start page cards: model → place, drawing, title, sentences for those who may view, add and change.
CARDS = {
    "jobs.Job": (60, "jobs", _("Jobs"), _("See the progress and results of imports and other long jobs.")),
}

# A job left waiting by a crash may have no visitor whose page would start it.
PERIODIC_TASKS = {"jobs.waiting": (10.0, "cms_api.jobs.running.start_waiting")}
