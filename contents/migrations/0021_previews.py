from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contents", "0020_fields_with_files")]

    operations = [
        migrations.CreateModel(
            name="ContentPreview",
            fields=[
                ("key", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("administrator_id", models.BigIntegerField()),
                ("record", models.TextField()),
                ("ends_at", models.DateTimeField(db_index=True)),
            ],
            options={"default_permissions": ()},
        ),
    ]
