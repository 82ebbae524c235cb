import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('cms_sites', '0001_sites'),
        ('cms_sites', '0002_verbose_names'),
    ]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Site',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False, verbose_name='number')),
                ('site_name', models.CharField(max_length=255, verbose_name='name')),
                ('site_dir', models.CharField(blank=True, max_length=255, verbose_name='folder')),
                ('table_name', models.CharField(blank=True, max_length=50, verbose_name='table of contents')),
                ('is_root', models.BooleanField(default=False, verbose_name='root site')),
                ('taxis', models.BigIntegerField(default=0, verbose_name='order')),
                ('settings', models.JSONField(blank=True, default=dict, verbose_name='settings')),
                ('web_url', models.CharField(editable=False, max_length=2000, verbose_name='web address')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='cms_sites.site', verbose_name='below')),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('site_dir'), name='site_dir_unique'), models.UniqueConstraint(condition=models.Q(('is_root', True)), fields=('is_root',), name='site_one_root'), models.CheckConstraint(condition=models.Q(('is_root', True), models.Q(('site_dir', ''), _negated=True), _connector='OR'), name='site_dir_given'), models.CheckConstraint(condition=models.Q(('parent', models.F('id')), _negated=True), name='site_not_own_parent')],
                'verbose_name': 'site',
                'verbose_name_plural': 'sites',
            },
        ),
    ]
