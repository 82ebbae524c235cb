import core.lib.clock
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('cms_api', '0001_shared_count'),
        ('cms_api', '0002_audit'),
        ('cms_api', '0003_restarts'),
        ('cms_api', '0004_jobs'),
        ('cms_api', '0005_kept_table'),
        ('cms_api', '0006_stored_answer'),
    ]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='SharedCount',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('number', models.BigIntegerField()),
                ('ends_at', models.FloatField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='KeptTable',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=60)),
                ('administrator_id', models.BigIntegerField()),
                ('created_at', models.DateTimeField(db_index=True, default=core.lib.clock.now)),
                ('name', models.CharField(max_length=255)),
                ('data', models.BinaryField()),
                ('choices', models.JSONField(default=dict)),
                ('seen', models.TextField(blank=True)),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(fields=['administrator_id', 'created_at'], name='kept_table_of')],
            },
        ),
        migrations.CreateModel(
            name='StoredAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key_id', models.BigIntegerField()),
                ('name', models.CharField(max_length=255)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(db_index=True, default=core.lib.clock.now)),
                ('content', models.BinaryField(null=True)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('key_id', 'name'), name='stored_answer_of_key')],
            },
        ),
    ]
