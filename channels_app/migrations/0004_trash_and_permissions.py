from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0003_fill_tree_versions'),
    ]

    operations = [
        migrations.CreateModel(
            name='TrashedChannel',
            fields=[
            ],
            options={
                'verbose_name': 'channel in the trash',
                'verbose_name_plural': 'channels in the trash',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('channels_app.channel',),
        ),
        migrations.AlterModelOptions(
            name='channel',
            options={'permissions': [('restore_channel', 'Can restore channel from the trash'), ('purge_channel', 'Can delete channel for good')]},
        ),
    ]
