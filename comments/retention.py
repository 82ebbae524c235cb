from datetime import timedelta

from comments.models import Comment
from comments.receiving import SAME
from core.lib import clock

_BATCH = 500  # comments per transaction
DAYS_OF_SPAM = 30


def delete_old() -> None:
    """Delete old spam, and forget by what equal comments are found."""
    old = Comment.objects.filter(spam_at__lt=clock.now() - timedelta(days=DAYS_OF_SPAM))
    due = old.exclude(replies__state=Comment.State.APPROVED)  # which would go, too
    while numbers := list(due.order_by("spam_at").values_list("pk", flat=True)[:_BATCH]):
        due.filter(pk__in=numbers).delete()  # with the condition: a person may have changed the state since
    Comment.objects.exclude(digest="").filter(created_at__lt=clock.now() - SAME).update(digest="")
