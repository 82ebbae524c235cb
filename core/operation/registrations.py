from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.admin.ranks import Rank
from cms_api.notifications.kinds import NotificationKind

# API operations: method and path below /api/v1 → summary.
SUMMARIES = {
    ("POST", "/actions/restart"): _("restarts the service without dropping requests"),
    ("GET", "/health/live"): _("succeeds while the process runs"),
    ("GET", "/health/ready"): _("checks whether the server can take requests"),
    ("GET", "/metrics"): _("returns Prometheus metrics"),
}

# Kinds of objects in the audit: prefix of an action → place in the list, label.
SUBJECTS = {
    "system": (90, _("System")),
}

# Audit actions: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "system.restart_asked": _("Restart requested"),
    "system.server_forgotten": _("Silent server removed from the list"),
}

# Admin menu: model → group, place, title.
MENU = {
    "operation.Node": ("utilities", 30, _("Restart")),
}

# Start page cards: model → place, drawing, title, sentences for those who may view, add and change.
CARDS = {
    "operation.Node": (80, "restart", _("Restart"), _("Restart the service without interrupting it.")),
}

NOTIFICATIONS = {
    "backup.failing": NotificationKind(
        80,
        _("A backup fails"),
        _("The command %(title)s failed"),
        ngettext_lazy("%(count)d backup failed", "%(count)d backups failed", "count"),
        note="%(note)s",
        ranks=frozenset({Rank.HIGHEST}),
    )
}
