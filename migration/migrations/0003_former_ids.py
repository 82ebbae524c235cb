from django.db import migrations, models


def fill_channels(apps, schema_editor):
    """Contents that were migrated before this column was there are found in the channels that they have now."""
    Content = apps.get_model("contents", "Content")
    channel = Content.objects.filter(pk=models.OuterRef("target_id")).values("channel_id")
    # Only contents have versions.
    records = apps.get_model("migration", "MigratedRecord").objects.filter(version__gt=0)
    records.update(channel_id=models.Subquery(channel))


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0027_fields_with_days"),
        ("migration", "0002_report_of_run"),
    ]

    operations = [
        migrations.AddField("migratedrecord", "channel_id", models.BigIntegerField(null=True)),
        migrations.RunPython(fill_channels, migrations.RunPython.noop),
        migrations.AddIndex(
            "migratedrecord",
            models.Index(
                condition=models.Q(("channel_id__isnull", False)),
                fields=["source_id", "channel_id"],
                name="migrated_record_of_content",
            ),
        ),
    ]
