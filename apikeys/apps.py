from typing import Any

from django.apps import AppConfig
from django.contrib.auth import get_user_model
from django.db.models.signals import post_delete, post_save, pre_delete
from django.utils.translation import gettext_lazy as _


class ApiKeysConfig(AppConfig):
    name = "apikeys"
    verbose_name = _("API keys")

    def ready(self) -> None:
        from apikeys.models import ApiKey, ApiKeyToken, LegacyToken

        pre_delete.connect(_note_deletion, sender=ApiKey)
        # Rank, sites and lock of the owner affect the key, too.
        for model in (ApiKey, ApiKeyToken, LegacyToken, get_user_model()):
            post_save.connect(_announce, sender=model)
            post_delete.connect(_announce, sender=model)


def _announce(update_fields: Any = None, **_: Any) -> None:
    from apikeys.grants import announce_change

    if update_fields != frozenset({"last_login"}):
        announce_change()


def _note_deletion(instance: Any, origin: Any = None, **options: Any) -> None:
    from core import audit

    source = getattr(origin, "model", type(origin))  # a queryset, or a record
    details: dict[str, Any] = {} if source is type(instance) else {"with": "owner"}
    audit.record("api_key.deleted", instance, owner=instance.administrator.user_name, **details)
