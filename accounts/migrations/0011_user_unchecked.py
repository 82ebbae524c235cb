from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_user_beginnings'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='user',
            # Who waits to be checked: few of many, for the start page.
            index=models.Index(condition=models.Q(('is_checked', False)), fields=['id'], name='user_unchecked'),
        ),
    ]
