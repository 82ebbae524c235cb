from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('apikeys', '0001_api_keys'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='apikey',
            options={'default_permissions': ()},
        ),
        migrations.AlterModelOptions(
            name='apikeytoken',
            options={'default_permissions': ()},
        ),
    ]
