from django.db import models


class Event(models.Model):
    """A change of a record or media file. Database triggers (events/sql) write the rows, without values.

    Ids are assigned before the commit, so readers follow `position` (events.numbering).
    """

    position = models.BigIntegerField(null=True, unique=True)  # null: not numbered yet
    at = models.DateTimeField()
    # Identifies the transaction on PostgreSQL, within which events of a content and its body are merged.
    transaction_id = models.BigIntegerField(null=True)
    name = models.CharField(max_length=30)  # content.published
    site_id = models.BigIntegerField(null=True)  # null: a user
    channel_id = models.BigIntegerField(null=True)  # of a content, or of the page of an entry
    form_id = models.BigIntegerField(null=True)  # of an entry
    subject_id = models.BigIntegerField()
    version = models.PositiveBigIntegerField(null=True)  # of a content
    # Sorted names of changed members on the wire, as a JSON array.
    fields = models.TextField(default="[]")

    class Meta:
        default_permissions = ()
        indexes = [
            # For the triggers, which look for an event of the same transaction.
            models.Index(fields=["subject_id"], condition=models.Q(position__isnull=True), name="event_not_numbered"),
            models.Index(fields=["id"], condition=models.Q(position__isnull=True), name="event_new"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.subject_id}"


class Numbering(models.Model):
    """One row: the last numbered and the last deleted position."""

    last_position = models.BigIntegerField()
    deleted_position = models.BigIntegerField()
    # No event up to this id is, or will be, without a position; so the search for new ones begins behind it.
    numbered_id = models.BigIntegerField(default=0, db_default=0)
    # PostgreSQL: the next `numbered_id`, once every transaction before this one has ended. Null: not named yet.
    next_numbered_id = models.BigIntegerField(null=True)
    next_after_transaction = models.BigIntegerField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.last_position)
