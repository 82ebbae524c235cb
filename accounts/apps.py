from django.apps import AppConfig
from django.core.checks import register


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        # It needs the settings, which are complete by now.
        from accounts.checks import check_settings

        register(check_settings)
