from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate

from cms_api.lib import triggers


class ChannelsConfig(AppConfig):
    name = "channels_app"
    verbose_name = "Channels"

    def ready(self) -> None:
        post_migrate.connect(_install_triggers, sender=self)


def _install_triggers(using: str, **_: Any) -> None:
    tables = ["cms_sites_site", "channels_app_channel", "channels_app_channelancestor", "channels_app_treeversion"]
    triggers.install(connections[using], Path(__file__).parent / "sql", tables)
