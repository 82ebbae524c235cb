from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0012_account_unlocked_at'),
    ]

    operations = [
        migrations.CreateModel(
            name='KnownAddress',
            fields=[
                ('digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField(db_index=True)),
            ],
            options={'default_permissions': ()},
        ),
    ]
