from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.core.checks import Tags, register
from django.db import transaction


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        # They need the settings and the models, which are complete by now.
        from accounts.checks import check_peppers, check_settings

        user_logged_out.connect(_note_sign_out)
        register(check_settings)
        # The second tag is what the server asks for at its start.
        register(check_peppers, Tags.database, "accounts")


def _note_sign_out(user: Any = None, **_: Any) -> None:
    """Note that an administrator has left the back end; nobody else signs in there."""
    from cms_api import audit

    if user is not None:
        with transaction.atomic():
            audit.note("administrator.signed_out", user)
