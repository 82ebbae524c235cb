from django.db import migrations, models

# Of 0001_initial. SQLite has lost those of a table that a migration replaced.
POSTGRESQL = {
    "user_name_begins": "(lower(user_name) text_pattern_ops)",
    "user_email_begins": "(lower(email) text_pattern_ops) WHERE NOT (email = '')",
    "user_mobile_begins": "(lower(mobile) text_pattern_ops) WHERE NOT (mobile = '')",
    "user_display_begins": "(lower(display_name) text_pattern_ops) WHERE NOT (display_name = '')",
}
SQLITE = {
    "user_mobile_begins": "(lower(mobile)) WHERE NOT (mobile = '')",
    "user_display_begins": "(lower(display_name)) WHERE NOT (display_name = '')",
}


def indexes_of(editor):
    return POSTGRESQL if editor.connection.vendor == "postgresql" else SQLITE


def drop(apps, editor):
    for name in indexes_of(editor):
        editor.execute(f"DROP INDEX IF EXISTS {name}")


def create(apps, editor):
    for name, definition in indexes_of(editor).items():
        editor.execute(f"CREATE INDEX {name} ON accounts_user {definition}")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_fill_folded_names")]

    operations = [
        *(
            migrations.RemoveConstraint(model_name=kind, name=f"{kind}_{column}_unique")
            for kind in ("administrator", "user")
            for column in ("name", "email", "mobile")
        ),
        migrations.RunPython(drop, create),
        migrations.AddIndex(
            model_name="administrator",
            index=models.Index(condition=models.Q(("folding_stamp", None)), fields=["id"], name="administrator_unfolded"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(condition=models.Q(("folding_stamp", None)), fields=["id"], name="user_unfolded"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                condition=models.Q(("folded_display_name", ""), _negated=True),
                fields=["folded_display_name"],
                name="user_folded_display_name",
                opclasses=["text_pattern_ops"],
            ),
        ),
        *(
            migrations.AddConstraint(
                model_name=kind,
                constraint=models.UniqueConstraint(
                    condition=models.Q((f"folded_{column}", ""), _negated=True),
                    fields=(f"folded_{column}",),
                    name=f"{kind}_folded_{column.removeprefix('user_')}_unique",
                    opclasses=["text_pattern_ops"],
                ),
            )
            for kind in ("administrator", "user")
            for column in ("user_name", "email", "mobile")
        ),
    ]
