"""The index of words: contents are found by words of title, subtitle, tags and author, Chinese ones included."""

from django.db import migrations, models

from contents.search.sql import postgresql_function, sqlite_words

# Small lists of what is not sorted in yet: a search reads them through.
_INDEX = """
CREATE INDEX content_words ON contents_content USING gin (contents_words(title, sub_title, tags, author))
WITH (gin_pending_list_limit = 512) WHERE trashed_at IS NULL
"""
_TABLE = """
CREATE VIRTUAL TABLE contents_words
USING fts5 (words, tokenize = "unicode61 remove_diacritics 2", detail = none, prefix = '2 3')
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for statement in (postgresql_function(), _INDEX):
            schema_editor.execute(statement, params=None)
    else:
        schema_editor.execute(_TABLE, params=None)
        words = sqlite_words("c")
        filling = f"INSERT INTO contents_words (rowid, words) SELECT c.id, {words} FROM contents_content c"
        schema_editor.execute(f"{filling} WHERE c.trashed_at IS NULL", params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX content_words", params=None)
        schema_editor.execute("DROP FUNCTION contents_words(text, text, text, text)", params=None)
        schema_editor.execute("DROP FUNCTION IF EXISTS contents_folded(text)", params=None)
    else:
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
