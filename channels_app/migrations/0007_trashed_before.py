from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0006_verbose_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='channel',
            name='trashed_before_id',
            field=models.BigIntegerField(blank=True, editable=False, null=True),
        ),
    ]
