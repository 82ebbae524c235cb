"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "api_key": (40, _("API keys")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "api_key.created": _("API key created"),
    "api_key.changed": _("API key changed"),
    "api_key.reset": _("API key reset"),
    "api_key.rotated": _("API key rotated"),
    "api_key.overlap_ended": _("Overlap of a rotated API key ended"),
    "api_key.revoked": _("API key revoked"),
    "api_key.deleted": _("API key deleted"),
}

# Values of details in the audit that people read in words: detail → value → words.
DETAIL_VALUES = {"with": {"owner": _("owner")}}

# The menu of the admin: model → group, place, title.
MENU = {
    "apikeys.ApiKey": ("utilities", 10, _("API keys")),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "apikeys.ApiKey": (70, "keys", _("API keys"), _("Issue keys for programs, renew them, and see which are used.")),
}
