"""Comments of visitors on contents."""

from uuid import uuid4

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from contents.models import Content
from core.lib import clock
from sites.models import Site

MAX_CHARACTERS = 5_000  # of a comment
MAX_NAME = 50  # characters


class Comment(models.Model):
    """A comment, plain text. Replies are to comments that are no replies."""

    class State(models.TextChoices):
        NEW = "new", pgettext_lazy("state of a comment", "Waiting")
        APPROVED = "approved", pgettext_lazy("state of a comment", "Approved")
        SPAM = "spam", pgettext_lazy("state of a comment", "Spam")

    site = models.ForeignKey(Site, models.CASCADE, related_name="+", db_index=False, verbose_name=_("site"))
    content = models.ForeignKey(
        Content, models.CASCADE, related_name="comments", db_index=False, verbose_name=_("content item")
    )
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="replies", verbose_name=_("reply to")
    )
    user = models.ForeignKey(
        "accounts.User", models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("user")
    )
    name = models.CharField(_("name"), max_length=255)  # as shown, also after the user is gone
    text = models.TextField(_("text"), max_length=MAX_CHARACTERS)
    state = models.CharField(_("state"), max_length=20, choices=State, default=State.NEW)
    token = models.UUIDField(default=uuid4, unique=True, editable=False)  # the number that its sender knows
    created_at = models.DateTimeField(_("sent"), default=clock.now)
    spam_at = models.DateTimeField(null=True, editable=False)  # when it became spam
    # Of the text and the network that sent it, for some minutes.
    digest = models.CharField(max_length=32, blank=True, editable=False)

    class Meta:
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        default_permissions = ("view", "change", "delete")
        indexes = [
            models.Index("content", "state", models.F("created_at").desc(), name="comment_of_content"),
            models.Index("site", "state", models.F("created_at").desc(), name="comment_by_state"),
            models.Index("spam_at", name="comment_spam", condition=models.Q(spam_at__isnull=False)),
            models.Index("created_at", name="comment_with_digest", condition=~models.Q(digest="")),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.text[:40]}"
