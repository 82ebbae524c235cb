"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "audit": (100, _("Audit")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "audit.purged": _("Old audit entries purged"),
    "audit.exported": _("Audit exported"),
}

# The menu of the admin: model → group, place, title.
MENU = {
    "audit.AuditEntry": ("system", 10, _("Audit")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "audit.AuditEntry": (100, "audit", _("Audit"), _("Read who did what, and when.")),
}
