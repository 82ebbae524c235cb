"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Operations of the API: method and path below /api/v1 → what it does, in the words of the README.
SUMMARIES = {
    ("POST", "/actions/restart"): _("restarts the service without dropping a request"),
    ("GET", "/health/live"): _("answers while the process does"),
    ("GET", "/health/ready"): _("tells whether the server is ready to serve"),
    ("GET", "/metrics"): _("lists figures for Prometheus"),
}

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "system": (90, _("System")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "system.restart_asked": _("Restart asked for"),
    "system.server_forgotten": _("Silent server removed from the list"),
}

# The menu of the admin: model → group, place, title.
MENU = {
    "operation.Node": ("utilities", 30, _("Restart")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "operation.Node": (80, "restart", _("Restart"), _("Restart the service without interrupting it.")),
}
