from django.db import migrations

# What names, addresses and mobiles begin with. On PostgreSQL only an index of this class serves LIKE in every
# collation; on SQLite the unique indexes serve all but the display name.
POSTGRESQL = {
    'user_name_begins': "(lower(user_name) text_pattern_ops)",
    'user_email_begins': "(lower(email) text_pattern_ops) WHERE NOT (email = '')",
    'user_mobile_begins': "(lower(mobile) text_pattern_ops) WHERE NOT (mobile = '')",
    'user_display_begins': "(lower(display_name) text_pattern_ops) WHERE NOT (display_name = '')",
}
SQLITE = {
    'user_mobile_begins': "(lower(mobile)) WHERE NOT (mobile = '')",
    'user_display_begins': "(lower(display_name)) WHERE NOT (display_name = '')",
}


def indexes_of(editor):
    return POSTGRESQL if editor.connection.vendor == 'postgresql' else SQLITE


def create(apps, editor):
    for name, definition in indexes_of(editor).items():
        editor.execute(f'CREATE INDEX {name} ON accounts_user {definition}')


def drop(apps, editor):
    for name in indexes_of(editor):
        editor.execute(f'DROP INDEX {name}')


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_user_reset_and_export_permissions'),
    ]

    operations = [migrations.RunPython(create, drop, elidable=False)]
