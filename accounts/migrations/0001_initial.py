import core.lib.clock
import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models


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

    replaces = [
        ('accounts', '0001_administrators_and_users'),
        ('accounts', '0002_account_add_password_stamp'),
        ('accounts', '0003_user_add_avatar_file'),
        ('accounts', '0004_user_log'),
        ('accounts', '0005_ended_token'),
        ('accounts', '0006_account_add_token_stamp'),
        ('accounts', '0007_user_permissions'),
        ('accounts', '0008_verbose_names'),
        ('accounts', '0009_user_reset_and_export_permissions'),
        ('accounts', '0010_user_beginnings'),
        ('accounts', '0011_user_unchecked'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_name', models.CharField(max_length=255, verbose_name='name')),
                ('password', models.CharField(max_length=255, verbose_name='password')),
                ('create_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='created')),
                ('last_reset_password_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='last change of the password')),
                ('last_activity_date', models.DateTimeField(blank=True, null=True, verbose_name='last activity')),
                ('count_of_login', models.PositiveBigIntegerField(default=0, verbose_name='sign-ins')),
                ('count_of_failed_login', models.PositiveBigIntegerField(default=0, verbose_name='failed sign-ins')),
                ('count_of_writing', models.PositiveBigIntegerField(default=0, verbose_name='contributions')),
                ('is_checked', models.BooleanField(default=True, verbose_name='approved')),
                ('is_locked_out', models.BooleanField(default=False, verbose_name='locked')),
                ('display_name', models.CharField(blank=True, max_length=255, verbose_name='display name')),
                ('email', models.CharField(blank=True, max_length=255, verbose_name='e-mail address')),
                ('mobile', models.CharField(blank=True, max_length=50, verbose_name='mobile')),
                ('avatar_url', models.CharField(blank=True, max_length=2000, verbose_name='picture')),
                ('organization', models.CharField(blank=True, max_length=255, verbose_name='organisation')),
                ('department', models.CharField(blank=True, max_length=255, verbose_name='department')),
                ('position', models.CharField(blank=True, max_length=255, verbose_name='position')),
                ('gender', models.CharField(blank=True, max_length=50, verbose_name='gender')),
                ('birthday', models.CharField(blank=True, max_length=50, verbose_name='birthday')),
                ('education', models.CharField(blank=True, max_length=255, verbose_name='education')),
                ('graduation', models.CharField(blank=True, max_length=255, verbose_name='graduated from')),
                ('address', models.CharField(blank=True, max_length=255, verbose_name='address')),
                ('wei_xin', models.CharField(blank=True, max_length=255, verbose_name='WeChat')),
                ('qq', models.CharField(blank=True, max_length=50, verbose_name='QQ')),
                ('wei_bo', models.CharField(blank=True, max_length=255, verbose_name='Weibo')),
                ('interests', models.CharField(blank=True, max_length=255, verbose_name='interests')),
                ('signature', models.CharField(blank=True, max_length=255, verbose_name='signature')),
                ('password_stamp', models.CharField(blank=True, db_default='', editable=False, max_length=22)),
                ('avatar_file', models.CharField(blank=True, db_default='', editable=False, max_length=100)),
                ('token_stamp', models.CharField(blank=True, db_default='', editable=False, max_length=22)),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('user_name'), name='user_name_unique'), models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email', ''), _negated=True), name='user_email_unique'), models.UniqueConstraint(condition=models.Q(('mobile', ''), _negated=True), fields=('mobile',), name='user_mobile_unique'), models.CheckConstraint(condition=models.Q(('user_name', ''), _negated=True), name='user_name_given')],
                'indexes': [models.Index(condition=models.Q(('is_checked', False)), fields=['id'], name='user_unchecked')],
                'permissions': [('approve_user', 'Can approve user'), ('lock_user', 'Can lock and unlock user'), ('reset_user', 'Can give user another password'), ('export_user', 'Can export users')],
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
            },
        ),
        migrations.CreateModel(
            name='Administrator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=255, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('user_name', models.CharField(max_length=255, unique=True, verbose_name='name')),
                ('creation_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='created')),
                ('last_activity_date', models.DateTimeField(blank=True, null=True, verbose_name='last activity')),
                ('last_change_password_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='last change of the password')),
                ('count_of_login', models.PositiveBigIntegerField(default=0, verbose_name='sign-ins')),
                ('count_of_failed_login', models.PositiveBigIntegerField(default=0, verbose_name='failed sign-ins')),
                ('creator_user_name', models.CharField(blank=True, max_length=255, verbose_name='created by')),
                ('is_locked_out', models.BooleanField(default=False, verbose_name='locked')),
                ('site_id_collection', models.TextField(blank=True, verbose_name='sites')),
                ('site_id', models.BigIntegerField(default=0, verbose_name='site last used')),
                ('department_id', models.BigIntegerField(default=0, verbose_name='department')),
                ('area_id', models.BigIntegerField(default=0, verbose_name='area')),
                ('display_name', models.CharField(blank=True, max_length=255, verbose_name='display name')),
                ('email', models.CharField(blank=True, max_length=255, verbose_name='e-mail address')),
                ('mobile', models.CharField(blank=True, max_length=50, verbose_name='mobile')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('password_stamp', models.CharField(blank=True, db_default='', editable=False, max_length=22)),
                ('token_stamp', models.CharField(blank=True, db_default='', editable=False, max_length=22)),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email', ''), _negated=True), name='administrator_email_unique'), models.UniqueConstraint(condition=models.Q(('mobile', ''), _negated=True), fields=('mobile',), name='administrator_mobile_unique'), models.CheckConstraint(condition=models.Q(('user_name', ''), _negated=True), name='administrator_name_given'), models.UniqueConstraint(django.db.models.functions.text.Lower('user_name'), name='administrator_name_unique')],
                'verbose_name': 'administrator',
                'verbose_name_plural': 'administrators',
            },
        ),
        migrations.CreateModel(
            name='UserLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_name', models.CharField(max_length=255, verbose_name='name')),
                ('ip_address', models.CharField(blank=True, max_length=45, verbose_name='address')),
                ('add_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='time')),
                ('action', models.CharField(blank=True, max_length=255, verbose_name='action')),
                ('summary', models.TextField(blank=True, verbose_name='details')),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='logs', to='accounts.user', verbose_name='user')),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'id'], name='user_log_newest')],
                'verbose_name': 'entry of the user log',
                'verbose_name_plural': 'user log',
            },
        ),
        migrations.CreateModel(
            name='EndedToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nonce', models.CharField(max_length=22, unique=True)),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunPython(create, drop, elidable=False),
    ]
