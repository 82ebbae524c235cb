import cms_api.lib.clock
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_user_permissions'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='administrator',
            options={'verbose_name': 'administrator', 'verbose_name_plural': 'administrators'},
        ),
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('approve_user', 'Can approve user'), ('lock_user', 'Can lock and unlock user')], 'verbose_name': 'user', 'verbose_name_plural': 'users'},
        ),
        migrations.AlterModelOptions(
            name='userlog',
            options={'verbose_name': 'entry of the user log', 'verbose_name_plural': 'user log'},
        ),
        migrations.AlterField(
            model_name='administrator',
            name='area_id',
            field=models.BigIntegerField(default=0, verbose_name='area'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='count_of_failed_login',
            field=models.PositiveBigIntegerField(default=0, verbose_name='failed sign-ins'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='count_of_login',
            field=models.PositiveBigIntegerField(default=0, verbose_name='sign-ins'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='creation_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='created'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='creator_user_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='created by'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='department_id',
            field=models.BigIntegerField(default=0, verbose_name='department'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='display_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='display name'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='email',
            field=models.CharField(blank=True, max_length=255, verbose_name='e-mail address'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='is_locked_out',
            field=models.BooleanField(default=False, verbose_name='locked'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='last_activity_date',
            field=models.DateTimeField(blank=True, null=True, verbose_name='last activity'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='last_change_password_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='last change of the password'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='mobile',
            field=models.CharField(blank=True, max_length=50, verbose_name='mobile'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='password',
            field=models.CharField(max_length=255, verbose_name='password'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='site_id',
            field=models.BigIntegerField(default=0, verbose_name='site last used'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='site_id_collection',
            field=models.TextField(blank=True, verbose_name='sites'),
        ),
        migrations.AlterField(
            model_name='administrator',
            name='user_name',
            field=models.CharField(max_length=255, unique=True, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='user',
            name='address',
            field=models.CharField(blank=True, max_length=255, verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='user',
            name='avatar_url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='picture'),
        ),
        migrations.AlterField(
            model_name='user',
            name='birthday',
            field=models.CharField(blank=True, max_length=50, verbose_name='birthday'),
        ),
        migrations.AlterField(
            model_name='user',
            name='count_of_failed_login',
            field=models.PositiveBigIntegerField(default=0, verbose_name='failed sign-ins'),
        ),
        migrations.AlterField(
            model_name='user',
            name='count_of_login',
            field=models.PositiveBigIntegerField(default=0, verbose_name='sign-ins'),
        ),
        migrations.AlterField(
            model_name='user',
            name='count_of_writing',
            field=models.PositiveBigIntegerField(default=0, verbose_name='contributions'),
        ),
        migrations.AlterField(
            model_name='user',
            name='create_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='created'),
        ),
        migrations.AlterField(
            model_name='user',
            name='department',
            field=models.CharField(blank=True, max_length=255, verbose_name='department'),
        ),
        migrations.AlterField(
            model_name='user',
            name='display_name',
            field=models.CharField(blank=True, max_length=255, verbose_name='display name'),
        ),
        migrations.AlterField(
            model_name='user',
            name='education',
            field=models.CharField(blank=True, max_length=255, verbose_name='education'),
        ),
        migrations.AlterField(
            model_name='user',
            name='email',
            field=models.CharField(blank=True, max_length=255, verbose_name='e-mail address'),
        ),
        migrations.AlterField(
            model_name='user',
            name='gender',
            field=models.CharField(blank=True, max_length=50, verbose_name='gender'),
        ),
        migrations.AlterField(
            model_name='user',
            name='graduation',
            field=models.CharField(blank=True, max_length=255, verbose_name='graduated from'),
        ),
        migrations.AlterField(
            model_name='user',
            name='interests',
            field=models.CharField(blank=True, max_length=255, verbose_name='interests'),
        ),
        migrations.AlterField(
            model_name='user',
            name='is_checked',
            field=models.BooleanField(default=True, verbose_name='approved'),
        ),
        migrations.AlterField(
            model_name='user',
            name='is_locked_out',
            field=models.BooleanField(default=False, verbose_name='locked'),
        ),
        migrations.AlterField(
            model_name='user',
            name='last_activity_date',
            field=models.DateTimeField(blank=True, null=True, verbose_name='last activity'),
        ),
        migrations.AlterField(
            model_name='user',
            name='last_reset_password_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='last change of the password'),
        ),
        migrations.AlterField(
            model_name='user',
            name='mobile',
            field=models.CharField(blank=True, max_length=50, verbose_name='mobile'),
        ),
        migrations.AlterField(
            model_name='user',
            name='organization',
            field=models.CharField(blank=True, max_length=255, verbose_name='organisation'),
        ),
        migrations.AlterField(
            model_name='user',
            name='password',
            field=models.CharField(max_length=255, verbose_name='password'),
        ),
        migrations.AlterField(
            model_name='user',
            name='position',
            field=models.CharField(blank=True, max_length=255, verbose_name='position'),
        ),
        migrations.AlterField(
            model_name='user',
            name='qq',
            field=models.CharField(blank=True, max_length=50, verbose_name='QQ'),
        ),
        migrations.AlterField(
            model_name='user',
            name='signature',
            field=models.CharField(blank=True, max_length=255, verbose_name='signature'),
        ),
        migrations.AlterField(
            model_name='user',
            name='user_name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='user',
            name='wei_bo',
            field=models.CharField(blank=True, max_length=255, verbose_name='Weibo'),
        ),
        migrations.AlterField(
            model_name='user',
            name='wei_xin',
            field=models.CharField(blank=True, max_length=255, verbose_name='WeChat'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='action',
            field=models.CharField(blank=True, max_length=255, verbose_name='action'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='add_date',
            field=models.DateTimeField(default=cms_api.lib.clock.now, verbose_name='time'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='ip_address',
            field=models.CharField(blank=True, max_length=45, verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='summary',
            field=models.TextField(blank=True, verbose_name='details'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='user',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='logs', to='accounts.user', verbose_name='user'),
        ),
        migrations.AlterField(
            model_name='userlog',
            name='user_name',
            field=models.CharField(max_length=255, verbose_name='name'),
        ),
    ]
