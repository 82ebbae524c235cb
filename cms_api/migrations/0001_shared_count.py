from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='SharedCount',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('number', models.BigIntegerField()),
                ('ends_at', models.FloatField(db_index=True)),
            ],
        ),
    ]
