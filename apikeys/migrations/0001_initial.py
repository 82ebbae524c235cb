import core.lib.clock
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('apikeys', '0001_api_keys'),
        ('apikeys', '0002_no_permissions'),
        ('apikeys', '0003_verbose_names'),
        ('apikeys', '0004_apikey_requests_per_minute'),
    ]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True, verbose_name='name')),
                ('scopes', models.CharField(blank=True, max_length=500)),
                ('site_ids', models.TextField(blank=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=core.lib.clock.now, editable=False)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('administrator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('requests_per_minute', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(1000000)])),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='api_key_name_given')],
                'default_permissions': (),
                'verbose_name': 'API key',
                'verbose_name_plural': 'API keys',
            },
        ),
        migrations.CreateModel(
            name='ApiKeyToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.SmallIntegerField(choices=[(0, 'Current'), (1, 'Previous')], default=0)),
                ('public_part', models.CharField(max_length=8, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=core.lib.clock.now, editable=False)),
                ('valid_until', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('api_key', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='apikeys.apikey')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('api_key', 'slot'), name='api_key_token_slots'), models.CheckConstraint(condition=models.Q(models.Q(('slot', 0), ('valid_until', None)), models.Q(('slot', 1), ('valid_until__isnull', False)), _connector='OR'), name='api_key_previous_token_ends')],
                'default_permissions': (),
                'verbose_name': 'token of an API key',
                'verbose_name_plural': 'tokens of API keys',
            },
        ),
    ]
