import uuid

from django.db import migrations, models

import cms_api.lib.clock


class Migration(migrations.Migration):

    dependencies = [
        ('cms_api', '0004_jobs'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptTable',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=60)),
                ('administrator_id', models.BigIntegerField()),
                ('created_at', models.DateTimeField(db_index=True, default=cms_api.lib.clock.now)),
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
    ]
