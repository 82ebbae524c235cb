from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0009_forms_of_custom_fields'),
    ]

    operations = [
        migrations.AddField(
            model_name='content',
            name='added_by_key',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=200, verbose_name='added with the API key'),
        ),
    ]
