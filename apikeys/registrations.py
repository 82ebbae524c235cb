from django.utils.translation import gettext_lazy as _

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "api_key": (40, _("API keys")),
}

ACTIONS = {
    "api_key.created": _("API key created"),
    "api_key.changed": _("API key changed"),
    "api_key.reset": _("API key reset"),
    "api_key.rotated": _("API key rotated"),
    "api_key.overlap_ended": _("Overlap of a rotated API key ended"),
    "api_key.legacy_ended": _("Original key of SiteServer ended"),
    "api_key.revoked": _("API key revoked"),
    "api_key.deleted": _("API key deleted"),
}

DETAIL_VALUES = {"with": {"owner": _("owner")}}

# The menu of the admin: model → group, place, title.
MENU = {
    "apikeys.ApiKey": ("utilities", 10, _("API keys")),
}

# Cards of the start page: model → place, drawing, title, and a sentence each for viewing, adding and changing.
CARDS = {
    "apikeys.ApiKey": (70, "keys", _("API keys"), _("Issue keys for programs, renew them, and see which are used.")),
}
