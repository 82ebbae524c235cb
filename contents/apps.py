from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from cms_api.lib import triggers
from contents.search.sql import sqlite_words


class ContentsConfig(AppConfig):
    name = "contents"
    verbose_name = "Contents"

    def ready(self) -> None:
        # They need the models, which are loaded by now.
        from cms_api.jobs import kinds
        from cms_api.jobs.table_imports import import_kind
        from contents.models import Content
        from contents.navigation import sql
        from contents.rules import sqlite_functions
        from contents.search import query

        kinds.register(import_kind("contents.import", _("Import of contents"), Content))
        post_migrate.connect(_install_triggers, sender=self)
        connection_created.connect(sql.add_functions)
        connection_created.connect(query.add_functions)
        connection_created.connect(sqlite_functions.add_functions)


def _install_triggers(using: str, **options: Any) -> None:
    connection = connections[using]
    tables = ["contents_content", "contents_listedcontent", "contents_listedcount"]
    if connection.vendor == "sqlite":
        tables.append("contents_words")
    triggers.install(connection, Path(__file__).parent / "sql", tables, {"words": sqlite_words("NEW")})
