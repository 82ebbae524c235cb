import django.db.models.deletion
from django.db import migrations, models

# The triggers of pages/sql that write the table, and the tables that they are on.
TRIGGERS = {
    "content": "contents_content",
    "body": "contents_contentbody",
    "picture": "contents_contentpicture",
    "group": "contents_contentgroup",
    "tag": "contents_contenttag",
    "custom_field": "contents_customfield",
    "site": "cms_sites_site",
}


def drop_triggers(apps, schema_editor):
    for name, table in TRIGGERS.items():
        on_table = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
        for event in ("added", "changed", "removed"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS pages_{name}_{event}{on_table}")


class Migration(migrations.Migration):
    dependencies = [
        ("cms_sites", "0004_field_definitions"),
        ("pages", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ContentsVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.BigIntegerField()),
                (
                    "site",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="contents_versions",
                        to="cms_sites.site",
                    ),
                ),
            ],
            options={"default_permissions": ()},
        ),
        # `migrate` installs them; on the way back they would write a table that is gone.
        migrations.RunPython(migrations.RunPython.noop, drop_triggers),
    ]
