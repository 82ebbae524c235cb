from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("contents", "0026_drop_blank_names"),
    ]

    operations = [
        migrations.AlterField(
            model_name="customfield",
            name="kind",
            field=models.CharField(
                choices=[
                    ("line", "one line"),
                    ("text", "several lines"),
                    ("switch", "yes or no"),
                    ("choice", "one of a list"),
                    ("date", "date and time"),
                    ("day", "date without time"),
                    ("image", "picture"),
                    ("video", "video"),
                    ("file", "file"),
                ],
                db_default="line",
                default="line",
                max_length=10,
                verbose_name="kind",
            ),
        ),
    ]
