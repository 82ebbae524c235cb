from typing import Any

from django.apps import AppConfig
from django.contrib.auth import get_user_model
from django.db.models.signals import post_delete, post_save


class ApiKeysConfig(AppConfig):
    name = "apikeys"
    verbose_name = "API keys"

    def ready(self) -> None:
        from apikeys import usage
        from apikeys.models import ApiKey, ApiKeyToken

        usage.connect()
        # Rank, sites and lock of the owner count as much as the key itself.
        for model in (ApiKey, ApiKeyToken, get_user_model()):
            post_save.connect(_announce, sender=model)
            post_delete.connect(_announce, sender=model)


def _announce(update_fields: Any = None, **_: Any) -> None:
    from apikeys.grants import announce_change

    if update_fields != frozenset({"last_login"}):
        announce_change()
