from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_verbose_names'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={
                'permissions': [
                    ('approve_user', 'Can approve user'),
                    ('lock_user', 'Can lock and unlock user'),
                    ('reset_user', 'Can give user another password'),
                    ('export_user', 'Can export users'),
                ],
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
            },
        ),
    ]
