from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.admin.ranks import Rank
from core.lib.registrations import AuditSubject, MenuItem, PeriodicTask, StartCard
from core.notifications.kinds import NotificationKind

PERIODIC_TASKS = {"apikeys.expiring": PeriodicTask(600.0, "apikeys.expiring.notify_of_expiring")}

SUBJECTS = {
    "api_key": AuditSubject(40, _("API keys")),
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

MENU = {
    "apikeys.ApiKey": MenuItem("programs", 10, _("API keys")),
}

CARDS = {
    "apikeys.ApiKey": StartCard(
        70, "keys", _("API keys"), _("Issue keys for programs, renew them, and see which are used.")
    ),
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
