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
            name='AuditRetention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        CreateOrMoveModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=core.lib.clock.now, verbose_name='time')),
                ('action', models.CharField(max_length=60, verbose_name='action')),
                ('actor_kind', models.CharField(choices=[('administrator', 'administrator'), ('key', 'API key'), ('command', 'command'), ('stranger', (
                    "not signed in"
                ))], max_length=20, verbose_name='by')),
                ('administrator_id', models.BigIntegerField(null=True, verbose_name='administrator number')),
                ('actor_name', models.CharField(blank=True, max_length=255, verbose_name='name')),
                ('key_id', models.BigIntegerField(null=True, verbose_name='API key number')),
                ('key_name', models.CharField(blank=True, max_length=200, verbose_name='API key')),
                ('address', models.CharField(blank=True, max_length=45, verbose_name='address')),
                ('request_id', models.CharField(blank=True, max_length=64, verbose_name='request')),
                ('object_type', models.CharField(blank=True, max_length=60, verbose_name='kind of object')),
                ('object_id', models.CharField(blank=True, max_length=64, verbose_name='number of object')),
                ('object_name', models.CharField(blank=True, max_length=255, verbose_name='object')),
                ('site_id', models.BigIntegerField(null=True, verbose_name='site')),
                ('changed', models.JSONField(default=list, verbose_name='changed members')),
                ('details', models.JSONField(default=dict, verbose_name='details')),
            ],
            options={
                'verbose_name': 'audit entry',
                'verbose_name_plural': 'audit',
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['at'], name='audit_at'), models.Index(fields=['action', 'id'], name='audit_action'), models.Index(fields=['object_type', 'object_id', 'id'], name='audit_object'), models.Index(fields=['actor_name', 'id'], name='audit_actor'), models.Index(fields=['key_name', 'id'], name='audit_key'), models.Index(fields=['administrator_id', 'id'], name='audit_administrator'), models.Index(fields=['key_id', 'id'], name='audit_key_number'), models.Index(fields=['actor_kind', 'at'], name='audit_kind'), models.Index(fields=['address', 'id'], name='audit_address'), models.Index(fields=['request_id'], name='audit_request')],
            },
        ),
    ]
