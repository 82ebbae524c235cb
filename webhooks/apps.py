from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _


class WebhooksConfig(AppConfig):
    name = "webhooks"
    verbose_name = _("Webhooks")

    def ready(self) -> None:
        from webhooks.checks import check_settings

        register(check_settings)
