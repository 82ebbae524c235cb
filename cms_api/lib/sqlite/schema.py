"""Django's schema editor for SQLite, in a database that has triggers."""

from typing import Any

from django.db import models
from django.db.backends.sqlite3 import schema
from django.db.transaction import atomic

from cms_api.lib.sqlite.triggers import dropped_triggers


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Changes a table without its triggers, and puts them back in the same transaction.

    To change most columns Django replaces the whole table. SQLite drops the table's own triggers along with it, and
    refuses to rename the new table while a trigger of any other table names it.
    """

    def remove_field(self, model: type[models.Model], field: "models.Field[Any, Any]") -> None:
        """Remove the column, also one that triggers of an older release still name."""
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super().remove_field(model, field)

    def _remake_table(self, *arguments: Any, **changes: Any) -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super()._remake_table(*arguments, **changes)  # type: ignore[misc]

    def _run(self, statement: str) -> None:
        self.execute(statement, params=None)  # so no % of the text is a placeholder
