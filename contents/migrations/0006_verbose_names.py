import cms_api.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0006_verbose_names'),
        ('cms_sites', '0002_verbose_names'),
        ('contents', '0005_trash_indexes'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='content',
            options={'permissions': [('approve_content', 'Can approve content'), ('restore_content', 'Can restore content from the trash'), ('purge_content', 'Can delete content for good')], 'verbose_name': 'content', 'verbose_name_plural': 'contents'},
        ),
        migrations.AlterField(
            model_name='content',
            name='add_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='added'),
        ),
        migrations.AlterField(
            model_name='content',
            name='add_user_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='added by'),
        ),
        migrations.AlterField(
            model_name='content',
            name='author',
            field=models.CharField(blank=True, max_length=255, verbose_name='author'),
        ),
        migrations.AlterField(
            model_name='content',
            name='channel',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='contents', to='channels_app.channel', verbose_name='channel'),
        ),
        migrations.AlterField(
            model_name='content',
            name='checked_level',
            field=models.BigIntegerField(default=0, verbose_name='level of approval'),
        ),
        migrations.AlterField(
            model_name='content',
            name='file_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='file'),
        ),
        migrations.AlterField(
            model_name='content',
            name='group_name_collection',
            field=models.CharField(blank=True, max_length=2000, verbose_name='groups'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits',
            field=models.BigIntegerField(default=0, verbose_name='hits'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_day',
            field=models.BigIntegerField(default=0, verbose_name='hits of the day'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_month',
            field=models.BigIntegerField(default=0, verbose_name='hits of the month'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_week',
            field=models.BigIntegerField(default=0, verbose_name='hits of the week'),
        ),
        migrations.AlterField(
            model_name='content',
            name='image_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='picture'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_checked',
            field=models.BooleanField(default=False, verbose_name='approved'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_color',
            field=models.BooleanField(default=False, verbose_name='coloured'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_hot',
            field=models.BooleanField(default=False, verbose_name='hot'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_recommend',
            field=models.BooleanField(default=False, verbose_name='recommended'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_top',
            field=models.BooleanField(default=False, verbose_name='pinned'),
        ),
        migrations.AlterField(
            model_name='content',
            name='last_edit_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='last edited'),
        ),
        migrations.AlterField(
            model_name='content',
            name='last_edit_user_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='last edited by'),
        ),
        migrations.AlterField(
            model_name='content',
            name='last_hits_date',
            field=models.DateTimeField(blank=True, null=True, verbose_name='last hit'),
        ),
        migrations.AlterField(
            model_name='content',
            name='link_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='link'),
        ),
        migrations.AlterField(
            model_name='content',
            name='reference_id',
            field=models.BigIntegerField(default=0, verbose_name='refers to'),
        ),
        migrations.AlterField(
            model_name='content',
            name='settings_xml',
            field=models.TextField(default='{}', verbose_name='further members'),
        ),
        migrations.AlterField(
            model_name='content',
            name='site',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='contents', to='cms_sites.site', verbose_name='site'),
        ),
        migrations.AlterField(
            model_name='content',
            name='source',
            field=models.CharField(blank=True, max_length=255, verbose_name='source'),
        ),
        migrations.AlterField(
            model_name='content',
            name='source_id',
            field=models.BigIntegerField(default=0, verbose_name='number of the source'),
        ),
        migrations.AlterField(
            model_name='content',
            name='sub_title',
            field=models.CharField(blank=True, max_length=255, verbose_name='subtitle'),
        ),
        migrations.AlterField(
            model_name='content',
            name='summary',
            field=models.TextField(blank=True, verbose_name='summary'),
        ),
        migrations.AlterField(
            model_name='content',
            name='tags',
            field=models.CharField(blank=True, max_length=2000, verbose_name='tags'),
        ),
        migrations.AlterField(
            model_name='content',
            name='taxis',
            field=models.BigIntegerField(default=0, verbose_name='order'),
        ),
        migrations.AlterField(
            model_name='content',
            name='title',
            field=models.CharField(max_length=255, verbose_name='title'),
        ),
        migrations.AlterField(
            model_name='content',
            name='trashed_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted'),
        ),
        migrations.AlterField(
            model_name='content',
            name='version',
            field=models.PositiveBigIntegerField(default=1, editable=False, verbose_name='version'),
        ),
        migrations.AlterField(
            model_name='content',
            name='video_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='video'),
        ),
        migrations.AlterField(
            model_name='content',
            name='writing_user_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='contributed by'),
        ),
    ]
