from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('accounts', '0012_account_unlocked_at'),
        ('accounts', '0013_known_address'),
        ('accounts', '0014_pepper_digest'),
    ]

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        # Without a default, SQLite adds the column in place and keeps the indexes that migrations made by SQL.
        migrations.AddField(
            model_name='administrator',
            name='unlocked_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='unlocked_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.CreateModel(
            name='KnownAddress',
            fields=[
                ('digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField(db_index=True)),
            ],
            options={'default_permissions': ()},
        ),
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
