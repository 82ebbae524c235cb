import core.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('channels_app', '0001_channels'),
        ('channels_app', '0002_tree_version'),
        ('channels_app', '0003_fill_tree_versions'),
        ('channels_app', '0004_trash_and_permissions'),
        ('channels_app', '0005_trash_indexes'),
        ('channels_app', '0006_verbose_names'),
        ('channels_app', '0007_trashed_before'),
    ]

    initial = True

    dependencies = [
        ('cms_sites', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Channel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel_name', models.CharField(max_length=255, verbose_name='name')),
                ('content_model_plugin_id', models.CharField(blank=True, max_length=50, verbose_name='content model')),
                ('content_related_plugin_ids', models.CharField(blank=True, max_length=255, verbose_name='related plugins')),
                ('parents_path', models.TextField(blank=True, editable=False, verbose_name='channels above')),
                ('parents_count', models.PositiveIntegerField(default=0, editable=False, verbose_name='depth')),
                ('children_count', models.PositiveIntegerField(default=0, editable=False, verbose_name='channels below')),
                ('is_last_node', models.BooleanField(default=True, editable=False, verbose_name='last of its siblings')),
                ('taxis', models.BigIntegerField(default=1, editable=False, verbose_name='order')),
                ('index_name', models.CharField(blank=True, max_length=255, verbose_name='index name')),
                ('group_name_collection', models.CharField(blank=True, max_length=2000, verbose_name='groups')),
                ('add_date', models.DateTimeField(default=core.lib.clock.now, verbose_name='added')),
                ('image_url', models.CharField(blank=True, max_length=2000, verbose_name='picture')),
                ('content', models.TextField(blank=True, verbose_name='text')),
                ('file_path', models.CharField(blank=True, max_length=500, verbose_name='file')),
                ('channel_file_path_rule', models.CharField(blank=True, max_length=500, verbose_name='rule for pages of channels')),
                ('content_file_path_rule', models.CharField(blank=True, max_length=500, verbose_name='rule for pages of contents')),
                ('link_url', models.CharField(blank=True, max_length=2000, verbose_name='link')),
                ('link_type', models.CharField(choices=[('None', 'Its own page'), ('NoLinkIfContentNotExists', 'No link without contents'), ('LinkToOnlyOneContent', 'To its only content'), ('NoLinkIfContentNotExistsAndLinkToOnlyOneContent', 'No link without contents, else to its only one'), ('LinkToFirstContent', 'To its first content'), ('NoLinkIfContentNotExistsAndLinkToFirstContent', 'No link without contents, else to its first one'), ('NoLinkIfChannelNotExists', 'No link without channels below'), ('LinkToLastAddChannel', 'To the channel below that was added last'), ('LinkToFirstChannel', 'To the first channel below'), ('NoLinkIfChannelNotExistsAndLinkToLastAddChannel', 'No link without channels below, else to the one added last'), ('NoLinkIfChannelNotExistsAndLinkToFirstChannel', 'No link without channels below, else to the first one'), ('NoLink', 'No link')], default='None', max_length=60, verbose_name='kind of link')),
                ('channel_template_id', models.BigIntegerField(default=0, verbose_name='template of the channel')),
                ('content_template_id', models.BigIntegerField(default=0, verbose_name='template of its contents')),
                ('keywords', models.CharField(blank=True, max_length=2000, verbose_name='keywords')),
                ('description', models.TextField(blank=True, verbose_name='description')),
                ('settings', models.JSONField(blank=True, default=dict, verbose_name='settings')),
                ('version', models.PositiveBigIntegerField(default=1, editable=False, verbose_name='version')),
                ('trashed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted')),
                ('trashed_with_id', models.BigIntegerField(blank=True, editable=False, null=True)),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='channels_app.channel', verbose_name='below')),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='channels', to='cms_sites.site', verbose_name='site')),
                ('trashed_before_id', models.BigIntegerField(blank=True, editable=False, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['site', 'taxis'], name='channel_in_order'), models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_with_id'], name='channel_trashed_with')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('parent', None)), fields=('site',), name='channel_one_home'), models.UniqueConstraint(condition=models.Q(models.Q(('index_name', ''), _negated=True), ('trashed_at', None)), fields=('site', 'index_name'), name='channel_index_name_unique'), models.UniqueConstraint(condition=models.Q(models.Q(('file_path', ''), _negated=True), ('trashed_at', None)), fields=('site', 'file_path'), name='channel_file_path_unique'), models.CheckConstraint(condition=models.Q(('parent', models.F('id')), _negated=True), name='channel_not_own_parent'), models.CheckConstraint(condition=models.Q(('link_type__in', ['None', 'NoLinkIfContentNotExists', 'LinkToOnlyOneContent', 'NoLinkIfContentNotExistsAndLinkToOnlyOneContent', 'LinkToFirstContent', 'NoLinkIfContentNotExistsAndLinkToFirstContent', 'NoLinkIfChannelNotExists', 'LinkToLastAddChannel', 'LinkToFirstChannel', 'NoLinkIfChannelNotExistsAndLinkToLastAddChannel', 'NoLinkIfChannelNotExistsAndLinkToFirstChannel', 'NoLink'])), name='channel_link_type_known')],
                'permissions': [('restore_channel', 'Can restore channel from the trash'), ('purge_channel', 'Can delete channel for good')],
                'verbose_name': 'channel',
                'verbose_name_plural': 'channels',
            },
        ),
        migrations.CreateModel(
            name='ChannelAncestor',
            fields=[
                ('pk', models.CompositePrimaryKey('channel_id', 'ancestor_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('ancestor', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='descendant_links', to='channels_app.channel')),
                ('channel', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='ancestor_links', to='channels_app.channel')),
            ],
            options={
                'indexes': [models.Index(fields=['ancestor', 'channel'], name='channel_descendants')],
            },
        ),
        migrations.CreateModel(
            name='TreeVersion',
            fields=[
                ('site', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='tree_version', serialize=False, to='cms_sites.site')),
                ('number', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='TrashedChannel',
            fields=[
            ],
            options={
                'verbose_name': 'channel in the trash',
                'verbose_name_plural': 'channels in the trash',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('channels_app.channel',),
        ),
    ]
