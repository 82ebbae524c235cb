"""What acts leave in the audit."""

from contextlib import contextmanager

from core.audit.models import AuditEntry


@contextmanager
def noted():
    """A list that fills with the entries of the block, oldest first, when it is over."""
    last = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    found = []
    yield found
    found += AuditEntry.objects.filter(pk__gt=last).order_by("pk")


def only(entries):
    """The one entry that there is."""
    (entry,) = entries
    return entry
