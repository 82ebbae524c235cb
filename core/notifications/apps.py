from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class NotificationsConfig(AppConfig):
    name = "core.notifications"
    verbose_name = "Notifications"

    def ready(self) -> None:
        # Imported here because it needs loaded models.
        from core.notifications import base_url

        user_logged_in.connect(base_url.remember, dispatch_uid="core.notifications")
