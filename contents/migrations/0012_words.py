"""The index of words: contents are found by words of title, subtitle, tags and author, Chinese ones included."""

from django.db import migrations, models

_TABLE = """
CREATE VIRTUAL TABLE contents_words
USING fts5 (words, tokenize = "unicode61 remove_diacritics 2", detail = none, prefix = '2 3')
"""


# contents/sql fills SQLite's table, and makes the function and the index of PostgreSQL.
def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(_TABLE, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for trigger in ("added", "changed", "removed"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS contents_words_{trigger}", params=None)
        schema_editor.execute("DROP TABLE contents_words", params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0011_waiting_and_most_read"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="content",
            index=models.Index(
                fields=["site", "author", "last_edit_date", "id"],
                condition=models.Q(trashed_at__isnull=True) & ~models.Q(author=""),
                name="content_by_author",
            ),
        ),
        migrations.RunPython(make, remove),
    ]
