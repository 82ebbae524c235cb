from django.db import migrations

from core.lib.folding import is_blank

# Kind of list, table and name column of groups and tags.
NAMED = ((1, "contents_contentgroup", "group_name"), (2, "contents_contenttag", "tag_name"))
AT_ONCE = 500


def drop(apps, editor):
    """Drop groups and tags whose names show nothing; no list can be asked for them, and no site file could have them."""
    with editor.connection.cursor() as cursor:
        for kind, table, column in NAMED:
            cursor.execute(f"SELECT id, {column} FROM {table}")
            blank = [pk for pk, name in cursor.fetchall() if is_blank(name)]
            for start in range(0, len(blank), AT_ONCE):
                numbers = blank[start : start + AT_ONCE]
                marks = ", ".join(["%s"] * len(numbers))
                # The trigger on the lists writes the counts.
                for other in ("contents_listedcontent", "contents_listedcount"):
                    cursor.execute(f"DELETE FROM {other} WHERE kind = %s AND owner_id IN ({marks})", [kind, *numbers])
                cursor.execute(f"DELETE FROM {table} WHERE id IN ({marks})", numbers)


class Migration(migrations.Migration):
    dependencies = [("contents", "0025_note_own_groups")]

    operations = [migrations.RunPython(drop, migrations.RunPython.noop, elidable=True)]
