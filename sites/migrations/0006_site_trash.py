import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cms_sites', '0005_plain_names'),
    ]

    operations = [
        # Nullable columns and no new rules for rows of the earlier release, which keeps working with the table.
        migrations.AddField(
            model_name='site',
            name='trashed_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted'),
        ),
        migrations.AddField(
            model_name='site',
            name='purge_began_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        # A site in the trash does not occupy its folder.
        migrations.RemoveConstraint(
            model_name='site',
            name='site_dir_unique',
        ),
        migrations.AddConstraint(
            model_name='site',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('site_dir'), models.Case(models.When(then=models.Value(0), trashed_at=None), default=models.F('id'), output_field=models.BigIntegerField()), name='site_dir_unique'),
        ),
        migrations.CreateModel(
            name='TrashedSite',
            fields=[
            ],
            options={
                'verbose_name': 'site in the trash',
                'verbose_name_plural': 'sites in the trash',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('cms_sites.site',),
        ),
    ]
