from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('events', '0002_numbering_behind_new_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='form_id',
            field=models.BigIntegerField(null=True),
        ),
    ]
