from django.db import migrations, models

# The triggers of events/sql, by the tables that they are on.
TRIGGERS = {
    "contents_content": ["content_added", "content_changed", "content_removed"],
    "contents_contentbody": ["body_added", "body_changed"],
    "channels_app_channel": ["channel_added", "channel_changed", "channel_removed"],
    "cms_sites_site": ["site_added", "site_changed", "site_removed"],
    "accounts_user": ["user_added", "user_changed", "user_removed"],
}


def drop_triggers(apps, schema_editor):
    for table, names in TRIGGERS.items():
        on_table = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
        for name in names:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS events_{name}{on_table}")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("accounts", "0002_known_addresses_and_pepper_digests"),
        ("channels_app", "0008_settings_text"),
        ("cms_sites", "0004_field_definitions"),
        ("contents", "0017_extra_pictures"),
    ]

    operations = [
        migrations.CreateModel(
            name='Numbering',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('last_position', models.BigIntegerField()),
                ('deleted_position', models.BigIntegerField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.BigIntegerField(null=True, unique=True)),
                ('at', models.DateTimeField()),
                ('transaction_id', models.BigIntegerField(null=True)),
                ('name', models.CharField(max_length=30)),
                ('site_id', models.BigIntegerField(null=True)),
                ('channel_id', models.BigIntegerField(null=True)),
                ('subject_id', models.BigIntegerField()),
                ('version', models.PositiveBigIntegerField(null=True)),
                ('fields', models.TextField(default='[]')),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(condition=models.Q(('position__isnull', True)), fields=['subject_id'], name='event_not_numbered')],
            },
        ),
        # `migrate` installs them; on the way back they would write a table that is gone.
        migrations.RunPython(migrations.RunPython.noop, drop_triggers),
    ]
