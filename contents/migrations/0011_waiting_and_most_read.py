from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0010_added_by_key'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='content',
            index=models.Index(condition=models.Q(('is_checked', False), ('trashed_at__isnull', True)), fields=['site', 'checked_level', 'last_edit_date', 'id'], name='content_waiting'),
        ),
        migrations.AddIndex(
            model_name='content',
            index=models.Index(condition=models.Q(('hits__gt', 0), ('trashed_at__isnull', True)), fields=['site', 'hits', 'id'], name='content_most_read'),
        ),
    ]
