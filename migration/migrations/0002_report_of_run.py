from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("migration", "0001_initial"),
    ]

    operations = [
        migrations.AddField("migrationrun", "report", models.TextField(db_default="", default="")),
    ]
