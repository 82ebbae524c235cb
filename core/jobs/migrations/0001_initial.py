import core.lib.clock
from core.lib.moved_models import CreateOrMoveModel
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        CreateOrMoveModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60, verbose_name='kind')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled'), ('interrupted', 'interrupted')], default='waiting', max_length=20, verbose_name='state')),
                ('token', models.CharField(max_length=64, unique=True)),
                ('site_id', models.BigIntegerField(null=True, verbose_name='site')),
                ('administrator_id', models.BigIntegerField(null=True)),
                ('asked_by', models.CharField(blank=True, max_length=255, verbose_name="requested by")),
                ('actor', models.JSONField(default=dict)),
                ('parameters', models.JSONField(default=dict)),
                ('report', models.JSONField(default=dict)),
                ('node', models.CharField(max_length=255)),
                ('asked_at', models.DateTimeField(default=core.lib.clock.now, verbose_name="requested")),
                ('began_at', models.DateTimeField(null=True, verbose_name='began')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended')),
                ('seen_at', models.DateTimeField(null=True)),
                ('step', models.CharField(blank=True, max_length=60)),
                ('done', models.BigIntegerField(default=0)),
                ('total', models.BigIntegerField(default=0)),
                ('is_to_stop', models.BooleanField(default=False)),
            ],
            options={
                'verbose_name': 'job',
                'verbose_name_plural': 'jobs',
                'default_permissions': (),
                'indexes': [models.Index(fields=['state', 'node'], name='job_state'), models.Index(fields=['administrator_id', 'id'], name='job_administrator')],
            },
        ),
    ]
