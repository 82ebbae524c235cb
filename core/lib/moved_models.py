from collections.abc import Iterator
from typing import Any

from django.db import migrations
from django.db.backends.base.base import BaseDatabaseWrapper

from core.lib.sqlite.base import trigger_definitions

_FORMER_APP = "cms_api"
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname, t.tgfoid::regprocedure::text FROM pg_trigger t
WHERE NOT t.tgisinternal AND t.tgrelid = %s::regclass
"""


class CreateOrMoveModel(migrations.CreateModel):
    """Creates a model, or takes its table and content type over from cms_api; its triggers are installed later."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        connection, former = schema_editor.connection, f"{_FORMER_APP}_{self.name_lower}"
        if former not in connection.introspection.table_names():
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        for statement in _without_triggers(connection, former):
            schema_editor.execute(statement)
        model = to_state.apps.get_model(app_label, self.name)
        schema_editor.alter_db_table(model, former, model._meta.db_table)
        types = to_state.apps.get_model("contenttypes", "ContentType").objects.using(connection.alias)
        types.filter(app_label=_FORMER_APP, model=self.name_lower).update(app_label=app_label)


def _without_triggers(connection: BaseDatabaseWrapper, table: str) -> Iterator[str]:
    if connection.vendor == "sqlite":
        yield from (f"DROP TRIGGER {name}" for name, of, _ in trigger_definitions(connection) if of == table)
        return
    with connection.cursor() as cursor:
        cursor.execute(_POSTGRESQL_TRIGGERS, [table])
        triggers = cursor.fetchall()
    yield from (f"DROP TRIGGER {name} ON {table}" for name, _ in triggers)
    yield from (f"DROP FUNCTION {function}" for function in sorted({function for _, function in triggers}))
