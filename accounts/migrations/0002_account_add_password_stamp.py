import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_administrators_and_users'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='administrator',
            name='administrator_user_name_unique',
        ),
        migrations.AddField(
            model_name='administrator',
            name='password_stamp',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=22),
        ),
        migrations.AddField(
            model_name='user',
            name='password_stamp',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=22),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='password',
            field=models.CharField(max_length=255),
        ),
        migrations.AddConstraint(
            model_name='administrator',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('user_name'), name='administrator_name_unique'),
        ),
    ]
