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
        # Imported here because these modules need the settings and the models.
        from accounts import sessions
        from accounts.checks import check_peppers, check_settings
        from accounts.models import User
        from core.admin.sessions import session_seen
        from core.jobs import kinds
        from core.lib import triggers
        from core.tables.views import import_kind

        kinds.register(import_kind("accounts.import", _("Import of users"), User))
        user_logged_out.connect(_note_sign_out)
        session_seen.connect(sessions.note, dispatch_uid="accounts.sessions")
        triggers.register(
            self,
            tables=["accounts_user", "accounts_administrator"],
            columns={"accounts_user": "folding_stamp"},
            repair="check_accounts --repair",
        )
        register(check_settings)
        # The server runs the checks of the second tag when it starts.
        register(check_peppers, Tags.database, "accounts")


def _note_sign_out(user: Any = None, **options: Any) -> None:
    from core import audit

    if user is not None:
        with transaction.atomic():
            audit.record("administrator.signed_out", user)
