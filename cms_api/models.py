"""What belongs to the service as a whole."""

from django.db import models


class SharedCount(models.Model):
    """A count that all nodes keep together until a moment; see cms_api.shared_counts."""

    key = models.CharField(max_length=64, primary_key=True)  # SHA-256 of what is counted
    number = models.BigIntegerField()
    ends_at = models.FloatField(db_index=True)  # seconds of Unix time

    def __str__(self) -> str:
        return self.key
