from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_account_add_token_stamp'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('approve_user', 'Can approve user'), ('lock_user', 'Can lock and unlock user')]},
        ),
    ]
