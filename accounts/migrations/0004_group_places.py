import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('accounts', '0003_password_reset'),
    ]

    operations = [
        migrations.CreateModel(
            name='GroupPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('site_id', models.BigIntegerField()),
                ('channel_id', models.BigIntegerField(default=0)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='auth.group')),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('group', 'site_id', 'channel_id'), name='group_place_unique')],
            },
        ),
    ]
