from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_user_unchecked'),
    ]

    # Without a default, SQLite adds the column in place and keeps the indexes that migrations made by SQL.
    operations = [
        migrations.AddField(
            model_name='administrator',
            name='unlocked_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='unlocked_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
