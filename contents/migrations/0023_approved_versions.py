from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contents", "0022_reasons_of_schedules")]

    operations = [
        migrations.AddField("contentschedule", "approved_draft", models.BigIntegerField(null=True)),
        migrations.AddField("contentschedule", "approved_version", models.BigIntegerField(null=True)),
    ]
