import search.models
from django.db import migrations, models


_TABLE = """
CREATE VIRTUAL TABLE search_words USING fts5 (
    words, content = 'search_searchentry', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '_'"
)
"""


# The full-text table of SQLite; search/sql makes the index of PostgreSQL.
def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(_TABLE, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for trigger in ("added", "changed", "removed"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS search_entry_{trigger}", params=None)
        schema_editor.execute("DROP TABLE search_words", params=None)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='SearchProgress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20, unique=True)),
                ('form', models.PositiveIntegerField()),
                ('position', models.BigIntegerField()),
                ('built_to', models.BigIntegerField(null=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='SearchEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('subject_id', models.BigIntegerField()),
                ('words', search.models.WordsField()),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('kind', 'subject_id'), name='search_entry_unique')],
            },
        ),
        migrations.RunPython(make, remove),
    ]
