from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class NotificationsConfig(AppConfig):
    name = "cms_api.notifications"
    verbose_name = "Notifications"

    def ready(self) -> None:
        # Imported here because it needs loaded models.
        from cms_api.notifications import addresses

        user_logged_in.connect(addresses.remember, dispatch_uid="cms_api.notifications")
