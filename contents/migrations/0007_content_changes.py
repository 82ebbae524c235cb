import cms_api.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0006_verbose_names'),
        ('cms_sites', '0002_verbose_names'),
        ('contents', '0006_verbose_names'),
    ]

    operations = [
        migrations.CreateModel(
            name='ContentChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('site_id', models.BigIntegerField(verbose_name='site')),
                ('version', models.PositiveBigIntegerField(verbose_name='version')),
                ('at', models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='time')),
                ('kind', models.CharField(choices=[('changed', 'changed'), ('approved', 'approved'), ('rejected', 'rejected'), ('moved', 'moved'), ('reverted', 'brought back to an earlier version')], default='changed', max_length=20, verbose_name='kind')),
                ('actor_kind', models.CharField(max_length=20, verbose_name='by')),
                ('administrator_id', models.BigIntegerField(null=True, verbose_name='administrator number')),
                ('actor_name', models.CharField(blank=True, max_length=255, verbose_name='name')),
                ('key_id', models.BigIntegerField(null=True, verbose_name='API key number')),
                ('key_name', models.CharField(blank=True, max_length=200, verbose_name='API key')),
                ('request_id', models.CharField(blank=True, max_length=64, verbose_name='request')),
                ('reasons', models.CharField(blank=True, max_length=255, verbose_name='reasons')),
                ('before', models.TextField(default='{}')),
                ('body_before', models.TextField(null=True)),
            ],
            options={
                'verbose_name': 'change of a content',
                'verbose_name_plural': 'changes of contents',
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='contentchange',
            name='content',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', to='contents.content', verbose_name='content'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(fields=['at', 'id'], name='content_change_at'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(fields=['site_id', 'at'], name='content_change_of_site'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(fields=['request_id'], name='content_change_request'),
        ),
        migrations.AddConstraint(
            model_name='contentchange',
            constraint=models.UniqueConstraint(fields=('content', 'version'), name='content_change_of_version'),
        ),
    ]
