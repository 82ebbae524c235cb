import uuid

from django.conf import settings
from django.db import models

from core.lib import clock


class SharedCounter(models.Model):
    """A count shared by all nodes until it expires; see core.shared_counts."""

    key = models.CharField(max_length=64, primary_key=True)  # SHA-256 of the counted name
    number = models.BigIntegerField()
    ends_at = models.FloatField(db_index=True)  # seconds of Unix time

    def __str__(self) -> str:
        return self.key


class PendingImport(models.Model):
    """An uploaded table from preview to import; encrypted, as it may hold passwords (core.tables.pending_imports)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)  # of the records: "contents.content.rows"
    administrator_id = models.BigIntegerField()  # the only one who may see it
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    name = models.CharField(max_length=255)  # of the file
    data = models.BinaryField()
    choices = models.JSONField(default=dict)
    # Digests of the previewed rows: only these are stored.
    seen = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["administrator_id", "created_at"], name="kept_table_of")]

    def __str__(self) -> str:
        return self.name

    @property
    def seen_rows(self) -> list[str]:
        return self.seen.split(",") if self.seen else []


class IdempotencyRecord(models.Model):
    """The response to a POST with an Idempotency-Key; rows of a deleted API key expire by themselves."""

    key_id = models.BigIntegerField()
    name = models.CharField(max_length=255)  # the Idempotency-Key
    digest = models.CharField(max_length=64)  # of method, path and body
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    content = models.BinaryField(null=True)  # of the response; null only during the change

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["key_id", "name"], name="stored_answer_of_key")]

    def __str__(self) -> str:
        return self.name


class SentForm(models.Model):
    """A form of the admin that creates something, for some minutes; see core.admin.sent_forms."""

    digest = models.CharField(max_length=64, primary_key=True)
    sent_at = models.DateTimeField(default=clock.steady, db_index=True)
    response = models.BinaryField(null=True)  # encrypted with a key that only the form has; null until there is one

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.digest


class SavedView(models.Model):
    """Search, filters and order of a list of the admin, under a name."""

    administrator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    page = models.CharField(max_length=100)  # of the records: "contents.content"
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)  # state=pending&o=-5
    is_shared = models.BooleanField(default=False)  # for everyone who sees the list

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["administrator", "page", "name"], name="saved_view_name")]
        indexes = [models.Index(fields=["page"], condition=models.Q(is_shared=True), name="shared_view_of_page")]

    def __str__(self) -> str:
        return self.name
