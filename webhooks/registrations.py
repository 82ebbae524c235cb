from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.notifications.kinds import NotificationKind

# Name → seconds between two calls, function without parameters.
PERIODIC_TASKS = {
    "webhooks.create": (0.5, "webhooks.deliveries.create_due"),
    "webhooks.send": (0.5, "webhooks.sending.send_due"),
    "webhooks.retention": (600.0, "webhooks.deliveries.purge_ended"),
}

# Operations of the API: method and path below /api/v1 → summary, as in the README.
SUMMARIES = {
    ("GET", "/webhooks"): _("lists the webhooks"),
    ("POST", "/webhooks"): _("creates a webhook and returns its secret, once"),
    ("GET", "/webhooks/{id}"): _("returns a webhook"),
    ("PUT", "/webhooks/{id}"): _("changes the members that are sent"),
    ("DELETE", "/webhooks/{id}"): _("deletes a webhook and its deliveries"),
    ("POST", "/webhooks/{id}/test"): _("sends a test event and returns the response"),
    ("POST", "/webhooks/{id}/secret"): _("replaces the secret and returns the new one, once"),
    ("GET", "/webhooks/{id}/deliveries"): _("lists deliveries, newest first"),
    ("POST", "/webhooks/{id}/replay"): _("delivers chosen events, or those of a period, once more"),
}

ERROR_MESSAGES = {
    "webhook_not_found": _("The webhook no longer exists."),
    "url_invalid": _(
        "The URL must begin with https:// or http://, and have a host and the port 80, 443, or one from 1024, but no "
        "user name, password, blank or #."
    ),
    "address_refused": _("The address is not part of the public Internet, and CMS_WEBHOOK_NETWORKS does not allow it."),
    "event_unknown": _("There is no such event."),
}

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "webhook": (45, _("Webhooks")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "webhook.created": _("Webhook created"),
    "webhook.changed": _("Webhook changed"),
    "webhook.secret_rotated": _("Secret of a webhook rotated"),
    "webhook.tested": _("Webhook tested"),
    "webhook.replayed": _("Events of a webhook delivered again"),
    "webhook.disabled": _("Webhook switched off after failures"),
    "webhook.deleted": _("Webhook deleted"),
}

# Values of audit details shown in words: detail → value → words.
DETAIL_VALUES = {
    "problem": {
        "failing": _("every delivery failed for 24 hours"),
        "gone": _("the receiver responded 410 Gone"),
    }
}

# The menu of the admin: model → group, place, title.
MENU = {
    "webhooks.Webhook": ("utilities", 15, _("Webhooks")),
    "webhooks.Delivery": ("utilities", 16, _("Deliveries of webhooks")),
}

# Cards of the start page: model → place, drawing, title, and a sentence each for viewing, adding and changing.
CARDS = {
    "webhooks.Webhook": (75, "keys", _("Webhooks"), _("Tell other systems about changes, and see what they answered.")),
}

_PAGES = {"": "admin:webhooks_webhook_changelist", "webhook": "admin:webhooks_webhook_change"}
NOTIFICATIONS = {
    "webhook.failing": NotificationKind(
        50,
        _("A webhook fails"),
        _("The webhook “%(title)s” has been failing for an hour"),
        ngettext_lazy("%(count)d webhook fails", "%(count)d webhooks fail", "count"),
        pages=_PAGES,
    ),
    "webhook.disabled": NotificationKind(
        51,
        _("A webhook is switched off"),
        _("The webhook “%(title)s” was switched off after failures"),
        ngettext_lazy("%(count)d webhook was switched off", "%(count)d webhooks were switched off", "count"),
        pages=_PAGES,
    ),
}
