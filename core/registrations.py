from core.lib.registrations import AdminPage, PeriodicTask

PERIODIC_TASKS = {"admin.sent_forms": PeriodicTask(600.0, "core.admin.sent_forms.purge_ended")}

ADMIN_PAGES = {"components": AdminPage("components/", "core.admin.components.components_view")}
