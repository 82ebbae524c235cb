"""The index of all words (search) takes the place of that of contents."""

from django.db import migrations

_TABLE = """
CREATE VIRTUAL TABLE contents_words
USING fts5 (words, tokenize = "unicode61 remove_diacritics 2", detail = none, prefix = '2 3')
"""


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for trigger in ("added", "changed", "removed"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS contents_words_{trigger}", params=None)
        schema_editor.execute("DROP TABLE IF EXISTS contents_words", params=None)
    else:
        schema_editor.execute("DROP INDEX IF EXISTS content_words", params=None)
        schema_editor.execute("DROP FUNCTION IF EXISTS contents_words(text, text, text, text)", params=None)


# The former release fills the table, or makes the index, with its next `migrate`.
def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(_TABLE, params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("contents", "0030_unsaved_texts"),
        ("search", "0001_index_of_words"),
    ]

    operations = [migrations.RunPython(remove, make)]
