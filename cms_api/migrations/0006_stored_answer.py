from django.db import migrations, models

import cms_api.lib.clock


class Migration(migrations.Migration):

    dependencies = [
        ('cms_api', '0005_kept_table'),
    ]

    operations = [
        migrations.CreateModel(
            name='StoredAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key_id', models.BigIntegerField()),
                ('name', models.CharField(max_length=255)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(db_index=True, default=cms_api.lib.clock.now)),
                ('content', models.BinaryField(null=True)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('key_id', 'name'), name='stored_answer_of_key')],
            },
        ),
    ]
