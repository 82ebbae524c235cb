from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0027_fields_with_days"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="contentdraft",
            index=models.Index(fields=["site_id", "edited_at", "content"], name="content_draft_edited"),
        ),
    ]
