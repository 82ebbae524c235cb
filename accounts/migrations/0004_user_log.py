import cms_api.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_user_add_avatar_file'),
    ]

    operations = [
        migrations.CreateModel(
            name='UserLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_name', models.CharField(max_length=255)),
                ('ip_address', models.CharField(blank=True, max_length=45)),
                ('add_date', models.DateTimeField(default=cms_api.lib.clock.now)),
                ('action', models.CharField(blank=True, max_length=255)),
                ('summary', models.TextField(blank=True)),
            ],
        ),
        migrations.AddField(
            model_name='userlog',
            name='user',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='logs', to='accounts.user'),
        ),
        migrations.AddIndex(
            model_name='userlog',
            index=models.Index(fields=['user', 'id'], name='user_log_newest'),
        ),
    ]
