import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('apikeys', '0003_verbose_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(1000000)]),
        ),
    ]
