from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.lib.registrations import AuditSubject, MenuItem, PeriodicTask, SearchKind, StartCard
from core.notifications.kinds import NotificationKind

PERIODIC_TASKS = {
    "forms.notices": PeriodicTask(10.0, "forms.notices.notify_new"),
    "forms.retention": PeriodicTask(600.0, "forms.retention.delete_old"),
}

SUMMARIES = {
    ("GET", "/forms"): _("lists the entries of a form, newest first"),
    ("POST", "/forms"): _("stores what a visitor sends"),
    ("GET", "/forms/styles"): _("returns the fields and texts of a form"),
    ("GET", "/forms/{siteId}"): _("lists the forms of a site"),
    ("GET", "/forms/{siteId}/entries/{id}"): _("returns an entry of a form"),
    ("PUT", "/forms/{siteId}/entries/{id}"): _("replies to an entry, or changes its state"),
    ("DELETE", "/forms/{siteId}/entries/{id}"): _("permanently deletes an entry"),
}

ERROR_MESSAGES = {
    "form_not_found": _("The form no longer exists."),
    "form_being_deleted": _("The form is being deleted already; see the jobs."),
    "form_name_taken": _("The site already has a form with this name."),
}

SUBJECTS = {
    "form": AuditSubject(66, _("Forms")),
    "entry": AuditSubject(67, _("Entries")),
}

ACTIONS = {
    "form.created": _("Form created"),
    "form.changed": _("Form changed"),
    "form.deleted": _("Form deleted"),
    "form.purging": _("Deletion of a form begun"),
    "entry.changed": _("State of an entry changed"),
    "entry.replied": _("Entry replied to"),
    "entry.deleted": _("Entry deleted"),
    "entry.exported": _("Entries exported"),
    "entry.imported": _("Entries imported"),
    "entry.erased": _("Entries of a person deleted"),
    "entry.downloaded": _("File of an entry downloaded"),
}

MENU = {
    "forms.Form": MenuItem("site", 32, _("Forms"), "forms"),
    "forms.Entry": MenuItem("site", 33, _("Forms"), "forms"),
}

CARDS = {
    "forms.Form": StartCard(
        27,
        "forms",
        _("Forms"),
        _("See the forms of your sites."),
        _("Make forms that visitors fill in."),
    ),
}

NOTIFICATIONS = {
    "form.submitted": NotificationKind(
        30,
        _("Visitors send forms"),
        _("“%(title)s” has new entries"),
        ngettext_lazy("%(count)d form has new entries", "%(count)d forms have new entries", "count"),
        pages={"": "admin:forms_entry_changelist"},
        # Each lets one see entries.
        permissions=("forms.view_entry", "forms.change_entry", "forms.delete_entry", "forms.export_entry"),
    ),
}

SEARCHES = {"forms": SearchKind(45, _("Forms"), "forms", "forms.admin.hits.forms")}
