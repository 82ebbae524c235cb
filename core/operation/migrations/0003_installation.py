from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('operation', '0002_names'),
    ]

    operations = [
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('time_zone', models.CharField(blank=True, max_length=255)),
                ('backed_up_at', models.DateTimeField(null=True)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='installation_one_row')],
            },
        ),
        migrations.AddField('node', 'settings', models.JSONField(null=True)),
    ]
