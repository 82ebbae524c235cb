from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_account_add_password_stamp'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='avatar_file',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=100),
        ),
    ]
