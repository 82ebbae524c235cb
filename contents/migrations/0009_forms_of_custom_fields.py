import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0008_levels_of_approval'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='customfield',
            options={'verbose_name': 'custom field', 'verbose_name_plural': 'custom fields'},
        ),
        migrations.AddField(
            model_name='customfield',
            name='choices',
            field=models.TextField(blank=True, db_default='', default='', verbose_name='choices'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='help_text',
            field=models.CharField(blank=True, db_default='', default='', max_length=500, verbose_name='help'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='is_offered',
            field=models.BooleanField(db_default=True, default=True, verbose_name='offered to editors'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='kind',
            field=models.CharField(choices=[('line', 'one line'), ('text', 'several lines'), ('switch', 'yes or no'), ('choice', 'one of a list'), ('date', 'date and time')], db_default='line', default='line', max_length=10, verbose_name='kind'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='label',
            field=models.CharField(blank=True, db_default='', default='', max_length=255, verbose_name='label'),
        ),
        migrations.AddField(
            model_name='customfield',
            name='taxis',
            field=models.IntegerField(db_default=0, default=0, verbose_name='order'),
        ),
        migrations.AlterField(
            model_name='customfield',
            name='folded_name',
            field=models.CharField(editable=False, max_length=255),
        ),
        migrations.AlterField(
            model_name='customfield',
            name='name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='customfield',
            name='site',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='custom_fields', to='cms_sites.site', verbose_name='site'),
        ),
    ]
