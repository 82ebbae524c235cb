from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.core.checks import Tags, register
from django.db import transaction
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        # They need the settings and the models, which are complete by now.
        from accounts.checks import check_peppers, check_settings
        from accounts.models import User
        from cms_api.jobs import kinds
        from cms_api.tables.jobs import import_kind

        kinds.register(import_kind("accounts.import", _("Import of users"), User))
        user_logged_out.connect(_note_sign_out)
        register(check_settings)
        # The second tag is what the server asks for at its start.
        register(check_peppers, Tags.database, "accounts")


def _note_sign_out(user: Any = None, **options: Any) -> None:
    """Note that an administrator has left the back end; nobody else signs in there."""
    from cms_api import audit

    if user is not None:
        with transaction.atomic():
            audit.note("administrator.signed_out", user)
