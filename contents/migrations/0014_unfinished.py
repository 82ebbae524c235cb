from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0006_verbose_names'),
        ('cms_sites', '0002_verbose_names'),
        ('contents', '0013_lists_of_changes'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='content',
            index=models.Index(condition=models.Q(('is_checked', False), ('trashed_at__isnull', True)), fields=['add_user_name', 'site', '-checked_level', '-last_edit_date', '-id'], name='content_unfinished'),
        ),
    ]
