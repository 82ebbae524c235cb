from django.db import migrations, models

TRIGGERS = [f"accounts_{kind}_{moment}" for kind in ("user", "administrator") for moment in ("added", "renamed")]


def drop_triggers(apps, editor):
    """Drop the triggers that name the columns; `migrate` has installed them at its end."""
    for name in TRIGGERS:
        on = f" ON {name.rpartition('_')[0]}" if editor.connection.vendor == "postgresql" else ""
        editor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_second_factor_add_wrong_codes")]

    operations = [
        migrations.AddField(
            model_name="administrator",
            name="folded_user_name",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="administrator",
            name="folded_display_name",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="administrator",
            name="folded_email",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="administrator",
            name="folded_mobile",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="administrator",
            name="folding_stamp",
            field=models.IntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="folded_user_name",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="user",
            name="folded_display_name",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="user",
            name="folded_email",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="user",
            name="folded_mobile",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=275),
        ),
        migrations.AddField(
            model_name="user",
            name="folding_stamp",
            field=models.IntegerField(editable=False, null=True),
        ),
        migrations.RunPython(migrations.RunPython.noop, drop_triggers),
    ]
