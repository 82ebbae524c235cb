from core.lib.registrations import PeriodicTask

PERIODIC_TASKS = {"admin.sent_forms": PeriodicTask(600.0, "core.admin.sent_forms.purge_ended")}
