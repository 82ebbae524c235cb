from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AuditSubject, MenuItem, StartCard

SUBJECTS = {
    "audit": AuditSubject(100, _("Audit")),
}

ACTIONS = {
    "audit.purged": _("Old audit entries purged"),
    "audit.exported": _("Audit exported"),
}

MENU = {
    "audit.AuditEntry": MenuItem("system", 20, _("Audit")),
}

CARDS = {
    "audit.AuditEntry": StartCard(100, "audit", _("Audit"), _("See who did what, and when.")),
}
