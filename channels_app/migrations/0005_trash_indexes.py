from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0004_trash_and_permissions'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='channel',
            index=models.Index(condition=models.Q(('trashed_at__isnull', False)), fields=['trashed_with_id'], name='channel_trashed_with'),
        ),
    ]
