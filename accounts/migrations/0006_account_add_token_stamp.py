from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_ended_token'),
    ]

    operations = [
        migrations.AddField(
            model_name='administrator',
            name='token_stamp',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=22),
        ),
        migrations.AddField(
            model_name='user',
            name='token_stamp',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=22),
        ),
    ]
