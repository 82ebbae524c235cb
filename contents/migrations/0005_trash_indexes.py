from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0004_trash_and_permissions'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='content',
            index=models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_at', 'id'], name='content_trash_by_age'),
        ),
        migrations.AddIndex(
            model_name='content',
            index=models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_with_id'], name='content_trashed_with'),
        ),
    ]
