from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_user_log'),
    ]

    operations = [
        migrations.CreateModel(
            name='EndedToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nonce', models.CharField(max_length=22, unique=True)),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
    ]
