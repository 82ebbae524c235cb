from core.lib.registrations import Backlog, PeriodicTask

BACKLOGS = {"cms_mails_waiting": Backlog("E-mails that wait to be sent.", "core.mail.sending.all_waiting")}
PERIODIC_TASKS = {"mail.sending": PeriodicTask(5.0, "core.mail.sending.send_due")}
