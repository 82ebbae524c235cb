from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.admin.ranks import Rank
from cms_api.notifications.kinds import NotificationKind

# Name → seconds between two calls, function without parameters.
PERIODIC_TASKS = {"apikeys.expiring": (600.0, "apikeys.expiring.notify_of_expiring")}

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

NOTIFICATIONS = {
    "api_key.expiring": NotificationKind(
        70,
        _("An API key expires soon"),
        _("The API key “%(title)s” expires soon"),
        ngettext_lazy("%(count)d API key expires soon", "%(count)d API keys expire soon", "count"),
        note=_("It expires at %(note)s."),
        pages={"": "admin:apikeys_apikey_changelist", "key": "admin:apikeys_apikey_change"},
        ranks=frozenset({Rank.HIGHEST}),
    )
}
