from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cms_sites', '0004_field_definitions'),
    ]

    operations = [
        migrations.AlterField(
            model_name='site',
            name='id',
            field=models.BigIntegerField(primary_key=True, serialize=False, verbose_name='ID'),
        ),
    ]
