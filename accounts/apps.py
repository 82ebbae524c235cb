from django.apps import AppConfig
from django.core.checks import Tags, register


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        # They need the settings and the models, which are complete by now.
        from accounts.checks import check_peppers, check_settings

        register(check_settings)
        # The second tag is what the server asks for at its start.
        register(check_peppers, Tags.database, "accounts")
