import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.lib.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_group_places"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="administrator",
            name="language",
            field=models.CharField(blank=True, db_default="", max_length=20, verbose_name="language"),
        ),
        migrations.AddField(
            model_name="administrator",
            name="avatar_file",
            field=models.CharField(blank=True, db_default="", editable=False, max_length=100),
        ),
        migrations.CreateModel(
            name="SecondFactor",
            fields=[
                (
                    "administrator",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="second_factor",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("secret", models.CharField(max_length=32)),
                ("last_step", models.BigIntegerField()),
                ("created_at", models.DateTimeField(default=core.lib.clock.now)),
            ],
            options={"default_permissions": ()},
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64)),
                (
                    "administrator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recovery_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"default_permissions": ()},
        ),
        migrations.AddConstraint(
            model_name="recoverycode",
            constraint=models.UniqueConstraint(fields=("administrator", "digest"), name="recovery_code_unique"),
        ),
        migrations.CreateModel(
            name="AdministratorSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("began_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(db_index=True)),
                ("address", models.CharField(blank=True, max_length=45)),
                ("user_agent", models.CharField(blank=True, max_length=255)),
                (
                    "administrator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "session",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="sessions.session",
                    ),
                ),
            ],
            options={"default_permissions": ()},
        ),
    ]
