from django.db import models

from core.lib import clock


class OutgoingMail(models.Model):
    """A message that waits to be sent, or could not be sent; it is deleted once the mail server has it."""

    recipient = models.EmailField()
    subject = models.CharField(max_length=255)
    text = models.TextField()
    html = models.TextField()
    created_at = models.DateTimeField(default=clock.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Also while it is being sent, in case the process dies; null: failed for good.
    next_attempt_at = models.DateTimeField(default=clock.now, null=True)
    last_error = models.CharField(max_length=255, blank=True)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(
                fields=["next_attempt_at", "id"],
                condition=models.Q(next_attempt_at__isnull=False),
                name="outgoing_mail_due",
            ),
            models.Index(
                fields=["created_at"], condition=models.Q(next_attempt_at__isnull=True), name="outgoing_mail_given_up"
            ),
        ]

    def __str__(self) -> str:
        return self.subject
