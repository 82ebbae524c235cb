"""The settings of a site on PostgreSQL as the text that statements of the SQL endpoint read.

Made of jsonb for each read, it took up to 40 times the memory of the text.
"""

from django.db import migrations

_FUNCTION = """
CREATE FUNCTION cms_sites_settings_text(settings jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(string_agg(PAIR, '&' ORDER BY e.key COLLATE "C"), '') FROM jsonb_each(settings) e
$$
"""
_PAIR = (
    "NAME || '=' || CASE jsonb_typeof(e.value) WHEN 'boolean' THEN initcap(e.value::text) WHEN 'null' THEN '' "
    "ELSE VALUE END"
)
_ESCAPES = (
    ("'='", "_equals_"),
    ("'&'", "_and_"),
    ("'?'", "_question_"),
    ("''''", "_quote_"),
    ("'+'", "_add_"),
    ("chr(13)", "_return_"),
    ("chr(10)", "_newline_"),
)
_COLUMN = """
ALTER TABLE cms_sites_site ADD COLUMN settings_text text GENERATED ALWAYS AS (cms_sites_settings_text(settings)) STORED
"""


def _escaped(sql):
    for character, word in _ESCAPES:
        sql = f"replace({sql}, {character}, '{word}')"
    return sql


def add(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        pair = _PAIR.replace("NAME", _escaped("lower(e.key)")).replace("VALUE", _escaped("e.value #>> '{}'"))
        schema_editor.execute(_FUNCTION.replace("PAIR", pair), params=None)
        schema_editor.execute(_COLUMN, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE cms_sites_site DROP COLUMN settings_text", params=None)
        schema_editor.execute("DROP FUNCTION cms_sites_settings_text(jsonb)", params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("cms_sites", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(add, remove),
    ]
