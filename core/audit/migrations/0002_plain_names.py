from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0001_initial'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditentry',
            name='administrator_id',
            field=models.BigIntegerField(null=True, verbose_name='administrator ID'),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='key_id',
            field=models.BigIntegerField(null=True, verbose_name='API key ID'),
        ),
        migrations.AlterField(
            model_name='auditentry',
            name='object_id',
            field=models.CharField(blank=True, max_length=64, verbose_name='object ID'),
        ),
    ]
