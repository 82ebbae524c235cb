from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.lib.registrations import AuditSubject, MenuItem, PeriodicTask
from core.notifications.kinds import NotificationKind

PERIODIC_TASKS = {
    "comments.retention": PeriodicTask(600.0, "comments.retention.delete_old"),
}

SUBJECTS = {
    "comment": AuditSubject(68, _("Comments")),
}

ACTIONS = {
    "comment.changed": _("State of a comment changed"),
    "comment.deleted": _("Comment deleted"),
}

MENU = {
    "comments.Comment": MenuItem("site", 34, _("Comments"), "comments"),
}

NOTIFICATIONS = {
    "comment.submitted": NotificationKind(
        31,
        _("Visitors comment"),
        _("“%(title)s” has new comments"),
        ngettext_lazy("%(count)d content item has new comments", "%(count)d content items have new comments", "count"),
        pages={"": "admin:comments_comment_changelist", "comment": "admin:comments_comment_change"},
        permissions=tuple(f"comments.{right}_comment" for right in ("view", "change", "delete")),
    ),
}
