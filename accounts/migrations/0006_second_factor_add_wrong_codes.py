from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_my_account"),
    ]

    operations = [
        migrations.AddField(
            model_name="secondfactor",
            name="wrong_codes",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="secondfactor",
            name="wrong_codes_since",
            field=models.DateTimeField(null=True),
        ),
    ]
