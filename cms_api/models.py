"""The tables of packages that are no apps."""

import uuid

from django.db import models

from cms_api.lib import clock


class SharedCount(models.Model):
    """A count that all nodes keep together until a moment; see cms_api.shared_counts."""

    key = models.CharField(max_length=64, primary_key=True)  # SHA-256 of what is counted
    number = models.BigIntegerField()
    ends_at = models.FloatField(db_index=True)  # seconds of Unix time

    def __str__(self) -> str:
        return self.key


class KeptTable(models.Model):
    """A file that somebody is about to import, from its preview until it is stored, given up or too old.

    It is in the database, where every node finds it and no address leads; it may hold passwords of new users, so it is
    encrypted (cms_api.tables.kept).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)  # of the records: "contents.content.rows"
    administrator_id = models.BigIntegerField()  # who alone may see it
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    name = models.CharField(max_length=255)  # of the file
    data = models.BinaryField()
    # Where the records go, and which column each heading means.
    choices = models.JSONField(default=dict)
    # What the preview has shown of each row, as a digest: what is stored is what was shown.
    seen = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["administrator_id", "created_at"], name="kept_table_of")]

    def __str__(self) -> str:
        return self.name

    @property
    def seen_rows(self) -> list[str]:
        """The digests of `seen`; none before the first preview."""
        return self.seen.split(",") if self.seen else []


class StoredAnswer(models.Model):
    """The answer to a POST with an Idempotency-Key, for whoever sends it again (cms_api.rest.idempotency).

    The API key is named and not referred to: tokens come and go, and rows of a key that is deleted end by themselves.
    """

    key_id = models.BigIntegerField()
    name = models.CharField(max_length=255)  # the Idempotency-Key
    digest = models.CharField(max_length=64)  # of method, path and body
    created_at = models.DateTimeField(default=clock.now, db_index=True)
    content = models.BinaryField(null=True)  # of the answer; null only while the change is being made

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["key_id", "name"], name="stored_answer_of_key")]

    def __str__(self) -> str:
        return self.name
