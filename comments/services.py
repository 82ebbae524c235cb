"""Changes of comments by administrators: each is one transaction and writes to the audit, without texts of visitors."""

from django.db import transaction

from comments.models import Comment
from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput


@transaction.atomic
def change_state(comment: Comment, state: str, was: str) -> None:
    """Raises InvalidInput if the state is not `was`, or the text is not the one that was seen."""
    spam_at = clock.now() if state == Comment.State.SPAM else None
    # Compare the text, too, so that nobody approves a text that nobody has read.
    chosen = Comment.objects.filter(pk=comment.pk, state=was, text=comment.text, name=comment.name)
    if not chosen.update(state=state, spam_at=spam_at):
        raise InvalidInput("changed_meanwhile", "The comment has changed since it was read.")
    audit.record("comment.changed", comment, site_id=comment.site_id, changed=["state"], state=state)


@transaction.atomic
def delete(comment: Comment) -> None:
    """Delete the comment with its replies."""
    audit.record("comment.deleted", comment, site_id=comment.site_id)
    comment.delete()
