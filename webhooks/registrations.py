from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.lib.registrations import AuditSubject, Backlog, MenuItem, PeriodicTask, StartCard
from core.notifications.kinds import NotificationKind

PERIODIC_TASKS = {
    "webhooks.create": PeriodicTask(0.5, "webhooks.deliveries.create_due"),
    "webhooks.send": PeriodicTask(0.5, "webhooks.delivery_attempts.send_due"),
    "webhooks.follow_clock": PeriodicTask(30.0, "webhooks.delivery_attempts.follow_clock"),
    "webhooks.retention": PeriodicTask(600.0, "webhooks.deliveries.purge_ended"),
}

BACKLOGS = {
    "cms_webhook_deliveries_waiting": Backlog(
        "Deliveries of webhooks to be sent next, one for each record and webhook; others wait behind them.",
        "webhooks.deliveries.next_in_line",
    )
}

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

SUBJECTS = {
    "webhook": AuditSubject(45, _("Webhooks")),
}

ACTIONS = {
    "webhook.created": _("Webhook created"),
    "webhook.changed": _("Webhook changed"),
    "webhook.secret_rotated": _("Secret of a webhook rotated"),
    "webhook.tested": _("Webhook tested"),
    "webhook.replayed": _("Events of a webhook delivered again"),
    "webhook.disabled": _("Webhook switched off after failures"),
    "webhook.deleted": _("Webhook deleted"),
}

DETAIL_VALUES = {
    "problem": {
        "failing": _("every delivery failed for 24 hours"),
        "gone": _("the receiver responded 410 Gone"),
    }
}

MENU = {
    "webhooks.Webhook": MenuItem("programs", 20, _("Webhooks")),
    "webhooks.Delivery": MenuItem("programs", 30, _("Deliveries of webhooks")),
}

CARDS = {
    "webhooks.Webhook": StartCard(
        75, "keys", _("Webhooks"), _("Tell other systems about changes, and see what they answered.")
    ),
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
