from django.utils.translation import gettext_lazy as _

# Kinds of objects in the audit: prefix of an action → place in the list, label.
SUBJECTS = {
    "audit": (100, _("Audit")),
}

# Audit actions: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "audit.purged": _("Old audit entries purged"),
    "audit.exported": _("Audit exported"),
}

# Admin menu: model → group, place, title.
MENU = {
    "audit.AuditEntry": ("system", 10, _("Audit")),
}

# Start page cards: model → place, drawing, title, sentences for those who may view, add and change.
CARDS = {
    "audit.AuditEntry": (100, "audit", _("Audit"), _("See who did what, and when.")),
}
