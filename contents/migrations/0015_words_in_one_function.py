"""The words of a content are made by one function, so that what pg_dump writes can be restored."""

from django.db import migrations

from contents.search.sql import postgresql_function


def join(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for statement in (postgresql_function(), "DROP FUNCTION IF EXISTS contents_folded(text)"):
            schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0014_unfinished"),
    ]

    operations = [
        migrations.RunPython(join, migrations.RunPython.noop),
    ]
