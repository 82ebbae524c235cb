from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.admin.ranks import Rank
from core.lib.registrations import AuditSubject, MenuItem, StartCard
from core.notifications.kinds import NotificationKind

SUMMARIES = {
    ("POST", "/actions/restart"): _("restarts the service without dropping requests"),
    ("GET", "/health/live"): _("succeeds while the process runs"),
    ("GET", "/health/ready"): _("checks whether the server can take requests"),
    ("GET", "/metrics"): _("returns Prometheus metrics"),
}

SUBJECTS = {
    "system": AuditSubject(90, _("System")),
}

ACTIONS = {
    "system.restart_asked": _("Restart requested"),
    "system.server_forgotten": _("Silent server removed from the list"),
}

MENU = {
    "operation.Node": MenuItem("system", 40, _("Restart")),
}

CARDS = {
    "operation.Node": StartCard(80, "restart", _("Restart"), _("Restart the service without interrupting it.")),
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
