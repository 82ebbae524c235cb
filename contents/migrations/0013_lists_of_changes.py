"""Lists of changes by person, key and kind; words for groups and tags."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cms_sites', '0002_verbose_names'),
        ('contents', '0012_words'),
    ]

    operations = [
        migrations.RemoveIndex(model_name='contentchange', name='content_change_at'),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(fields=['at', 'id', 'site_id'], name='content_change_latest'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(condition=models.Q(('administrator_id__isnull', False)), fields=['administrator_id', 'at', 'id'], name='content_change_by_person'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(condition=models.Q(('key_id__isnull', False)), fields=['key_id', 'at', 'id'], name='content_change_by_key'),
        ),
        migrations.AddIndex(
            model_name='contentchange',
            index=models.Index(condition=models.Q(('kind', 'changed'), _negated=True), fields=['kind', 'at', 'id'], name='content_change_of_kind'),
        ),
        migrations.AlterModelOptions(
            name='contentgroup',
            options={'verbose_name': 'group of contents', 'verbose_name_plural': 'groups of contents'},
        ),
        migrations.AlterModelOptions(
            name='contenttag',
            options={'verbose_name': 'tag of contents', 'verbose_name_plural': 'tags of contents'},
        ),
        migrations.AlterField(
            model_name='contentgroup',
            name='site',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='content_groups', to='cms_sites.site', verbose_name='site'),
        ),
        migrations.AlterField(
            model_name='contentgroup',
            name='group_name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='contentgroup',
            name='taxis',
            field=models.BigIntegerField(default=0, verbose_name='order'),
        ),
        migrations.AlterField(
            model_name='contentgroup',
            name='description',
            field=models.TextField(blank=True, verbose_name='description'),
        ),
        migrations.AlterField(
            model_name='contenttag',
            name='site',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='content_tags', to='cms_sites.site', verbose_name='site'),
        ),
        migrations.AlterField(
            model_name='contenttag',
            name='tag_name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
    ]
