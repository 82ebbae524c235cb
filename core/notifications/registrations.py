from core.lib.registrations import AdminPage, PeriodicTask

PERIODIC_TASKS = {
    "notifications.mailing": PeriodicTask(10.0, "core.notifications.mailing.queue_due"),
    "notifications.retention": PeriodicTask(600.0, "core.notifications.mailing.delete_old"),
}

ADMIN_PAGES = {
    "notifications": AdminPage("notifications/", "core.notifications.admin.list_view"),
    "notifications_unread": AdminPage("notifications/unread/", "core.notifications.admin.unread_view"),
    "notification_choices": AdminPage("notifications/choices/", "core.notifications.admin.choices_view"),
    "notification_open": AdminPage("notifications/<int:pk>/", "core.notifications.admin.open_view"),
}
