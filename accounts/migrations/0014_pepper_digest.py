from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0013_known_address'),
    ]

    operations = [
        migrations.CreateModel(
            name='PepperDigest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pepper_id', models.CharField(max_length=64, unique=True)),
                ('digest', models.CharField(max_length=255)),
            ],
            options={'default_permissions': ()},
        ),
    ]
