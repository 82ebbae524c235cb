from django.db import models

from core.lib import clock


class MigratedRecord(models.Model):
    """A row of a SiteServer database with the record that it became; later runs update that record."""

    source_table = models.CharField(max_length=64)  # casefolded
    source_id = models.BigIntegerField()
    target_id = models.BigIntegerField()
    # Of the row when it was read last (migration.records): an equal row needs no update.
    digest = models.CharField(max_length=32)
    # Of the record after the migration; a higher one was changed here. 0 of records without versions.
    version = models.PositiveBigIntegerField(default=0)
    migrated_at = models.DateTimeField(default=clock.now)
    # Of a content: its channel in the source, so that clients find it by the id that it had there.
    channel_id = models.BigIntegerField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["source_table", "source_id"], name="migrated_record_of_row"),
        ]
        indexes = [
            models.Index(
                fields=["source_id", "channel_id"],
                condition=models.Q(channel_id__isnull=False),
                name="migrated_record_of_content",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_table} {self.source_id}"


class MigrationRun(models.Model):
    """One run of `migrate_siteserver`; if it did not finish, the next one continues its report and may resume it."""

    fingerprint = models.CharField(max_length=64)  # of the source
    source = models.CharField(max_length=500)
    started_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True)
    report = models.TextField(default="", db_default="")  # its folder
    steps_done = models.JSONField(default=list)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.source}, {self.started_at}"
