"""The settings of a channel on PostgreSQL as the text that statements of the SQL endpoint read.

Made of jsonb for each read, it took up to 40 times the memory of the text.
"""

from django.db import migrations

_COLUMN = """
ALTER TABLE channels_app_channel ADD COLUMN settings_text text GENERATED ALWAYS AS (settings::text) STORED
"""


def add(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_COLUMN, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE channels_app_channel DROP COLUMN settings_text", params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("channels_app", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(add, remove),
    ]
