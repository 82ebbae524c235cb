from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AdminPage, PeriodicTask, SearchKind

PERIODIC_TASKS = {"admin.sent_forms": PeriodicTask(600.0, "core.admin.sent_forms.purge_ended")}

ADMIN_PAGES = {"components": AdminPage("components/", "core.admin.components.components_view")}

SEARCHES = {
    "pages": SearchKind(70, _("Pages"), "start", "core.admin.hits.pages"),
    "commands": SearchKind(80, _("Commands"), "start", "core.admin.hits.commands"),
}
