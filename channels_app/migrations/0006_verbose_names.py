import cms_api.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0005_trash_indexes'),
        ('cms_sites', '0002_verbose_names'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='channel',
            options={'permissions': [('restore_channel', 'Can restore channel from the trash'), ('purge_channel', 'Can delete channel for good')], 'verbose_name': 'channel', 'verbose_name_plural': 'channels'},
        ),
        migrations.AlterField(
            model_name='channel',
            name='add_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='added'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='channel_file_path_rule',
            field=models.CharField(blank=True, max_length=500, verbose_name='rule for pages of channels'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='channel_name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='channel_template_id',
            field=models.BigIntegerField(default=0, verbose_name='template of the channel'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='children_count',
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name='channels below'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='content',
            field=models.TextField(blank=True, verbose_name='text'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='content_file_path_rule',
            field=models.CharField(blank=True, max_length=500, verbose_name='rule for pages of contents'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='content_model_plugin_id',
            field=models.CharField(blank=True, max_length=50, verbose_name='content model'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='content_related_plugin_ids',
            field=models.CharField(blank=True, max_length=255, verbose_name='related plugins'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='content_template_id',
            field=models.BigIntegerField(default=0, verbose_name='template of its contents'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='description',
            field=models.TextField(blank=True, verbose_name='description'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='file_path',
            field=models.CharField(blank=True, max_length=500, verbose_name='file'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='group_name_collection',
            field=models.CharField(blank=True, max_length=2000, verbose_name='groups'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='image_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='picture'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='index_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='index name'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='is_last_node',
            field=models.BooleanField(default=True, editable=False, verbose_name='last of its siblings'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='keywords',
            field=models.CharField(blank=True, max_length=2000, verbose_name='keywords'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='link_type',
            field=models.CharField(choices=[('None', 'Its own page'), ('NoLinkIfContentNotExists', 'No link without contents'), ('LinkToOnlyOneContent', 'To its only content'), ('NoLinkIfContentNotExistsAndLinkToOnlyOneContent', 'No link without contents, else to its only one'), ('LinkToFirstContent', 'To its first content'), ('NoLinkIfContentNotExistsAndLinkToFirstContent', 'No link without contents, else to its first one'), ('NoLinkIfChannelNotExists', 'No link without channels below'), ('LinkToLastAddChannel', 'To the channel below that was added last'), ('LinkToFirstChannel', 'To the first channel below'), ('NoLinkIfChannelNotExistsAndLinkToLastAddChannel', 'No link without channels below, else to the one added last'), ('NoLinkIfChannelNotExistsAndLinkToFirstChannel', 'No link without channels below, else to the first one'), ('NoLink', 'No link')], default='None', max_length=60, verbose_name='kind of link'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='link_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='link'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='parent',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='channels_app.channel', verbose_name='below'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='parents_count',
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name='depth'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='parents_path',
            field=models.TextField(blank=True, editable=False, verbose_name='channels above'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='settings',
            field=models.JSONField(blank=True, default=dict, verbose_name='settings'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='site',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='channels', to='cms_sites.site', verbose_name='site'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='taxis',
            field=models.BigIntegerField(default=1, editable=False, verbose_name='order'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='trashed_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted'),
        ),
        migrations.AlterField(
            model_name='channel',
            name='version',
            field=models.PositiveBigIntegerField(default=1, editable=False, verbose_name='version'),
        ),
    ]
