from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

from cms_api.lib import triggers


class ContentsConfig(AppConfig):
    name = "contents"
    verbose_name = "Contents"

    def ready(self) -> None:
        from contents.navigation_sql import add_functions  # needs the models, which are loaded by now

        post_migrate.connect(_install_triggers, sender=self)
        connection_created.connect(add_functions)


def _install_triggers(using: str, **_: Any) -> None:
    tables = ["contents_content", "contents_listedcontent", "contents_listedcount"]
    triggers.install(connections[using], Path(__file__).parent / "sql", tables)
