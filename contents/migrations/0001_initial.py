import core.lib.clock
import django.db.models.deletion
from django.db import migrations, models


# The index of words: contents are found by words of title, subtitle, tags and author, Chinese ones included.
_TABLE = """
CREATE VIRTUAL TABLE contents_words
USING fts5 (words, tokenize = "unicode61 remove_diacritics 2", detail = none, prefix = '2 3')
"""


# contents/sql fills SQLite's table, and makes the function and the index of PostgreSQL.
def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(_TABLE, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for trigger in ("added", "changed", "removed"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS contents_words_{trigger}", params=None)
        schema_editor.execute("DROP TABLE contents_words", params=None)


class Migration(migrations.Migration):

    replaces = [
        ('contents', '0001_contents'),
        ('contents', '0002_content_referring'),
        ('contents', '0003_listed_by_taxis'),
        ('contents', '0004_trash_and_permissions'),
        ('contents', '0005_trash_indexes'),
        ('contents', '0006_verbose_names'),
        ('contents', '0007_content_changes'),
        ('contents', '0008_levels_of_approval'),
        ('contents', '0009_forms_of_custom_fields'),
        ('contents', '0010_added_by_key'),
        ('contents', '0011_waiting_and_most_read'),
        ('contents', '0012_words'),
        ('contents', '0013_lists_of_changes'),
        ('contents', '0014_unfinished'),
    ]

    initial = True

    dependencies = [
        ('channels_app', '0001_initial'),
        ('cms_sites', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Content',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('add_user_name', models.CharField(blank=True, max_length=255, verbose_name='added by')),
                ('last_edit_user_name', models.CharField(blank=True, max_length=255, verbose_name='last edited by')),
                ('writing_user_name', models.CharField(blank=True, max_length=255, verbose_name='contributed by')),
                ('last_edit_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='last edited')),
                ('taxis', models.BigIntegerField(default=0, verbose_name='order')),
                ('group_name_collection', models.CharField(blank=True, max_length=2000, verbose_name='groups')),
                ('tags', models.CharField(blank=True, max_length=2000, verbose_name='tags')),
                ('source_id', models.BigIntegerField(default=0, verbose_name='number of the source')),
                ('reference_id', models.BigIntegerField(default=0, verbose_name='refers to')),
                ('is_checked', models.BooleanField(default=False, verbose_name='approved')),
                ('checked_level', models.BigIntegerField(default=0, verbose_name='level of approval')),
                ('hits', models.BigIntegerField(default=0, verbose_name='hits')),
                ('hits_by_day', models.BigIntegerField(default=0, verbose_name='hits of the day')),
                ('hits_by_week', models.BigIntegerField(default=0, verbose_name='hits of the week')),
                ('hits_by_month', models.BigIntegerField(default=0, verbose_name='hits of the month')),
                ('last_hits_date', models.DateTimeField(blank=True, null=True, verbose_name='last hit')),
                ('settings_xml', models.TextField(default='{}', verbose_name='further members')),
                ('title', models.CharField(max_length=255, verbose_name='title')),
                ('is_top', models.BooleanField(default=False, verbose_name='pinned')),
                ('is_recommend', models.BooleanField(default=False, verbose_name='recommended')),
                ('is_hot', models.BooleanField(default=False, verbose_name='hot')),
                ('is_color', models.BooleanField(default=False, verbose_name='coloured')),
                ('link_url', models.CharField(blank=True, max_length=2000, verbose_name='link')),
                ('add_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='added')),
                ('sub_title', models.CharField(blank=True, max_length=255, verbose_name='subtitle')),
                ('image_url', models.CharField(blank=True, max_length=2000, verbose_name='picture')),
                ('video_url', models.CharField(blank=True, max_length=2000, verbose_name='video')),
                ('file_url', models.CharField(blank=True, max_length=2000, verbose_name='file')),
                ('summary', models.TextField(blank=True, verbose_name='summary')),
                ('author', models.CharField(blank=True, max_length=255, verbose_name='author')),
                ('source', models.CharField(blank=True, max_length=255, verbose_name='source')),
                ('version', models.PositiveBigIntegerField(default=1, editable=False, verbose_name='version')),
                ('trashed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted')),
                ('trashed_with_id', models.BigIntegerField(blank=True, editable=False, null=True)),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='contents', to='channels_app.channel', verbose_name='channel')),
                ('site', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='contents', to='cms_sites.site', verbose_name='site')),
                ('added_by_key', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200, verbose_name='added with the API key')),
            ],
            options={
                'indexes': [models.Index(fields=['channel', 'taxis'], name='content_in_channel'), models.Index(fields=['site', 'last_edit_date', 'id'], name='content_last_edited'), models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['site', 'trashed_at'], name='content_trash'), models.Index(condition=models.Q(('reference_id__gt', 0)), fields=['site'], name='content_referring'), models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_at', 'id'], name='content_trash_by_age'), models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_with_id'], name='content_trashed_with'), models.Index(condition=models.Q(('is_checked', False), ('trashed_at__isnull', True)), fields=['site', 'checked_level', 'last_edit_date', 'id'], name='content_waiting'), models.Index(condition=models.Q(('hits__gt', 0), ('trashed_at__isnull', True)), fields=['site', 'hits', 'id'], name='content_most_read'), models.Index(condition=models.Q(('trashed_at__isnull', True), models.Q(('author', ''), _negated=True)), fields=['site', 'author', 'last_edit_date', 'id'], name='content_by_author'), models.Index(condition=models.Q(('is_checked', False), ('trashed_at__isnull', True)), fields=['add_user_name', 'site', '-checked_level', '-last_edit_date', '-id'], name='content_unfinished')],
                'constraints': [models.CheckConstraint(condition=models.Q(('title', ''), _negated=True), name='content_title_given'), models.CheckConstraint(condition=models.Q(('settings_xml', ''), _negated=True), name='content_settings_given'), models.CheckConstraint(condition=models.Q(('hits__gte', 0), ('hits_by_day__gte', 0), ('hits_by_week__gte', 0), ('hits_by_month__gte', 0)), name='content_hits_not_negative')],
                'permissions': [('approve_content', 'Can approve content at every level'), ('approve1_content', 'Can approve content up to level 1'), ('approve2_content', 'Can approve content up to level 2'), ('approve3_content', 'Can approve content up to level 3'), ('approve4_content', 'Can approve content up to level 4'), ('restore_content', 'Can restore content from the trash'), ('purge_content', 'Can delete content for good')],
                'verbose_name': 'content',
                'verbose_name_plural': 'contents',
            },
        ),
        migrations.CreateModel(
            name='LastTaxis',
            fields=[
                ('channel', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='last_taxis', serialize=False, to='channels_app.channel')),
                ('taxis', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='ListedCount',
            fields=[
                ('pk', models.CompositePrimaryKey('kind', 'owner_id', 'flags', 'slot', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.SmallIntegerField(choices=[(0, 'Channel'), (1, 'Group'), (2, 'Tag')])),
                ('owner_id', models.BigIntegerField()),
                ('flags', models.SmallIntegerField()),
                ('slot', models.SmallIntegerField(default=0)),
                ('contents', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='ContentBody',
            fields=[
                ('content', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='body', serialize=False, to='contents.content')),
                ('text', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='ContentGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group_name', models.CharField(max_length=255, verbose_name='name')),
                ('taxis', models.BigIntegerField(default=0, verbose_name='order')),
                ('description', models.TextField(blank=True, verbose_name='description')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='content_groups', to='cms_sites.site', verbose_name='site')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('site', 'group_name'), name='content_group_name_unique')],
                'verbose_name': 'group of contents',
                'verbose_name_plural': 'groups of contents',
            },
        ),
        migrations.CreateModel(
            name='ContentTag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tag_name', models.CharField(max_length=255, verbose_name='name')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='content_tags', to='cms_sites.site', verbose_name='site')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('site', 'tag_name'), name='content_tag_name_unique')],
                'verbose_name': 'tag of contents',
                'verbose_name_plural': 'tags of contents',
            },
        ),
        migrations.CreateModel(
            name='CustomField',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255, verbose_name='name')),
                ('folded_name', models.CharField(editable=False, max_length=255)),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='custom_fields', to='cms_sites.site', verbose_name='site')),
                ('choices', models.TextField(blank=True, db_default='', default='', verbose_name='choices')),
                ('help_text', models.CharField(blank=True, db_default='', default='', max_length=500, verbose_name='help')),
                ('is_offered', models.BooleanField(db_default=True, default=True, verbose_name='offered to editors')),
                ('kind', models.CharField(choices=[('line', 'one line'), ('text', 'several lines'), ('switch', 'yes or no'), ('choice', 'one of a list'), ('date', 'date and time')], db_default='line', default='line', max_length=10, verbose_name='kind')),
                ('label', models.CharField(blank=True, db_default='', default='', max_length=255, verbose_name='label')),
                ('taxis', models.IntegerField(db_default=0, default=0, verbose_name='order')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('site', 'folded_name'), name='custom_field_name_unique')],
                'verbose_name': 'custom field',
                'verbose_name_plural': 'custom fields',
            },
        ),
        migrations.CreateModel(
            name='ListedContent',
            fields=[
                ('pk', models.CompositePrimaryKey('content_id', 'kind', 'owner_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.SmallIntegerField(choices=[(0, 'Channel'), (1, 'Group'), (2, 'Tag')])),
                ('owner_id', models.BigIntegerField()),
                ('is_checked', models.BooleanField()),
                ('is_top', models.BooleanField()),
                ('is_recommend', models.BooleanField()),
                ('is_hot', models.BooleanField()),
                ('is_color', models.BooleanField()),
                ('channel_id', models.BigIntegerField()),
                ('taxis', models.BigIntegerField()),
                ('add_date', models.DateTimeField()),
                ('content', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='listings', to='contents.content')),
            ],
            options={
                'indexes': [models.Index(fields=['kind', 'owner_id', 'is_checked', 'is_top', 'channel_id', 'taxis', 'content_id'], name='listed_in_default_order'), models.Index(fields=['kind', 'owner_id', 'is_checked', 'add_date', 'content_id'], name='listed_by_add_date'), models.Index(condition=models.Q(('is_recommend', True)), fields=['kind', 'owner_id', 'is_checked', 'is_top', 'channel_id', 'taxis', 'content_id'], name='listed_recommend_in_order'), models.Index(condition=models.Q(('is_hot', True)), fields=['kind', 'owner_id', 'is_checked', 'is_top', 'channel_id', 'taxis', 'content_id'], name='listed_hot_in_order'), models.Index(condition=models.Q(('is_color', True)), fields=['kind', 'owner_id', 'is_checked', 'is_top', 'channel_id', 'taxis', 'content_id'], name='listed_color_in_order'), models.Index(condition=models.Q(('is_top', True)), fields=['kind', 'owner_id', 'is_checked', 'add_date', 'content_id'], name='listed_top_by_date'), models.Index(condition=models.Q(('is_recommend', True)), fields=['kind', 'owner_id', 'is_checked', 'add_date', 'content_id'], name='listed_recommend_by_date'), models.Index(condition=models.Q(('is_hot', True)), fields=['kind', 'owner_id', 'is_checked', 'add_date', 'content_id'], name='listed_hot_by_date'), models.Index(condition=models.Q(('is_color', True)), fields=['kind', 'owner_id', 'is_checked', 'add_date', 'content_id'], name='listed_color_by_date'), models.Index(condition=models.Q(('is_checked', True), ('kind', 0)), fields=['owner_id', 'is_top', 'taxis', 'content_id'], name='listed_by_taxis')],
            },
        ),
        migrations.CreateModel(
            name='TrashedContent',
            fields=[
            ],
            options={
                'verbose_name': 'content in the trash',
                'verbose_name_plural': 'contents in the trash',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('contents.content',),
        ),
        migrations.CreateModel(
            name='ContentChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('site_id', models.BigIntegerField(verbose_name='site')),
                ('version', models.PositiveBigIntegerField(verbose_name='version')),
                ('at', models.DateTimeField(default=core.lib.clock.now, verbose_name='time')),
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
                ('content', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', to='contents.content', verbose_name='content')),
            ],
            options={
                'verbose_name': 'change of a content',
                'verbose_name_plural': 'changes of contents',
                'default_permissions': (),
                'indexes': [models.Index(fields=['site_id', 'at'], name='content_change_of_site'), models.Index(fields=['request_id'], name='content_change_request'), models.Index(fields=['at', 'id', 'site_id'], name='content_change_latest'), models.Index(condition=models.Q(('administrator_id__isnull', False)), fields=['administrator_id', 'at', 'id'], name='content_change_by_person'), models.Index(condition=models.Q(('key_id__isnull', False)), fields=['key_id', 'at', 'id'], name='content_change_by_key'), models.Index(condition=models.Q(('kind', 'changed'), _negated=True), fields=['kind', 'at', 'id'], name='content_change_of_kind')],
                'constraints': [models.UniqueConstraint(fields=('content', 'version'), name='content_change_of_version')],
            },
        ),
        migrations.RunPython(make, remove),
    ]
