import core.lib.clock
from core.lib.moved_models import CreateOrMoveModel
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        CreateOrMoveModel(
            name='Node',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255, unique=True, verbose_name='name')),
                ('started_at', models.DateTimeField(default=core.lib.clock.now, verbose_name='started')),
                ('seen_at', models.DateTimeField(default=core.lib.clock.now, verbose_name='last seen')),
                ('restarted_at', models.DateTimeField(null=True, verbose_name='last restart')),
                ('restarted_by', models.CharField(blank=True, max_length=255, verbose_name="requested by")),
                ('answered', models.BigIntegerField(default=0)),
                ('problem', models.TextField(blank=True, verbose_name='problem')),
            ],
            options={
                'verbose_name': 'server',
                'verbose_name_plural': 'servers',
                'default_permissions': ('view',),
            },
        ),
        CreateOrMoveModel(
            name='RestartOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField(default=0)),
                ('asked_at', models.DateTimeField(null=True)),
                ('asked_by', models.CharField(blank=True, max_length=255)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='restart_order_one_row')],
            },
        ),
    ]
