# Name → seconds between two calls, function without parameters.
PERIODIC_TASKS = {
    "notifications.mailing": (10.0, "cms_api.notifications.mailing.queue_due"),
    "notifications.retention": (600.0, "cms_api.notifications.mailing.delete_old"),
}

# Pages of the admin beside those of records: name of the URL → its path below /admin/, and the view.
ADMIN_PAGES = {
    "notifications": ("notifications/", "cms_api.notifications.admin.list_view"),
    "notifications_unread": ("notifications/unread/", "cms_api.notifications.admin.unread_view"),
    "notification_choices": ("notifications/choices/", "cms_api.notifications.admin.choices_view"),
    "notification_open": ("notifications/<int:pk>/", "cms_api.notifications.admin.open_view"),
}
