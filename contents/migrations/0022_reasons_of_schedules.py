from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("contents", "0021_previews")]

    operations = [
        migrations.AddField(
            model_name="contentschedule",
            name="reasons",
            field=models.CharField(blank=True, db_default="", default="", max_length=255, verbose_name="reasons"),
        ),
    ]
