from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0028_index_drafts_by_date'),
    ]

    operations = [
        migrations.AlterField(
            model_name='content',
            name='hits',
            field=models.BigIntegerField(default=0, verbose_name='views'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_day',
            field=models.BigIntegerField(default=0, verbose_name='views of the day'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_month',
            field=models.BigIntegerField(default=0, verbose_name='views of the month'),
        ),
        migrations.AlterField(
            model_name='content',
            name='hits_by_week',
            field=models.BigIntegerField(default=0, verbose_name='views of the week'),
        ),
        migrations.AlterField(
            model_name='content',
            name='is_color',
            field=models.BooleanField(default=False, verbose_name='highlighted'),
        ),
        migrations.AlterField(
            model_name='content',
            name='last_hits_date',
            field=models.DateTimeField(blank=True, null=True, verbose_name='last view'),
        ),
        migrations.AlterField(
            model_name='contentchange',
            name='administrator_id',
            field=models.BigIntegerField(null=True, verbose_name='administrator ID'),
        ),
        migrations.AlterField(
            model_name='contentchange',
            name='key_id',
            field=models.BigIntegerField(null=True, verbose_name='API key ID'),
        ),
        migrations.AlterField(
            model_name='contentschedule',
            name='administrator_id',
            field=models.BigIntegerField(null=True, verbose_name='administrator ID'),
        ),
        migrations.AlterField(
            model_name='contentschedule',
            name='key_id',
            field=models.BigIntegerField(null=True, verbose_name='API key ID'),
        ),
        migrations.AlterField(
            model_name='contentschedule',
            name='publish_at',
            field=models.DateTimeField(null=True, verbose_name='publish on'),
        ),
        migrations.AlterField(
            model_name='contentschedule',
            name='unpublish_at',
            field=models.DateTimeField(null=True, verbose_name='unpublish on'),
        ),
    ]
