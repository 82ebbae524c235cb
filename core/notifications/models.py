from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.lib import clock


class Email(models.TextChoices):
    NOW = "now", _("at once")
    DAILY = "daily", _("daily summary")
    NEVER = "never", pgettext_lazy("e-mail", "never")


class NotificationQuerySet(models.QuerySet["Notification"]):
    def unread_of(self, administrator: Any) -> Self:
        return self.filter(administrator=administrator, in_bell=True, read_at=None)

    def to_mail(self, email: Email) -> Self:
        return self.filter(email=email, mailed_at=None)


class Notification(models.Model):
    """A message to an administrator about one record or several.

    It stores no sentences: they are made in the reader's language (core.notifications.words).
    """

    administrator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notifications", db_index=False
    )
    kind = models.CharField(max_length=40)  # of core.notifications.kinds
    created_at = models.DateTimeField(default=clock.now)
    # The record; of several, none.
    subject_kind = models.CharField(max_length=20, blank=True)
    subject_id = models.BigIntegerField(null=True)
    site_id = models.BigIntegerField(null=True)
    # {"count": 2, "items": [{"title": "Lamps", "note": "Too long."}]}; the first MAX_ITEMS of several
    params = models.JSONField(default=dict)
    in_bell = models.BooleanField(default=True)
    read_at = models.DateTimeField(null=True)
    email = models.CharField(max_length=10, choices=Email)
    mailed_at = models.DateTimeField(null=True)  # when the e-mail was queued
    # Of two notifications with the same text, an administrator gets the first; empty: all.
    once = models.CharField(max_length=100, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["administrator", "once"], condition=~models.Q(once=""), name="notification_once"
            )
        ]
        indexes = [
            models.Index(fields=["administrator", "-id"], name="notification_of_person"),
            # Counted for each page of the admin.
            models.Index(
                fields=["administrator"],
                condition=models.Q(in_bell=True, read_at__isnull=True),
                name="notification_unread",
            ),
            models.Index(
                fields=["email", "created_at"], condition=models.Q(mailed_at__isnull=True), name="notification_unmailed"
            ),
            # For the pause between two e-mails.
            models.Index(
                fields=["administrator", "kind", "mailed_at"],
                condition=models.Q(mailed_at__isnull=False),
                name="notification_mailed",
            ),
            models.Index(fields=["created_at"], name="notification_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_id or ''}".strip()


class NotificationChoice(models.Model):
    """How an administrator wants to get a kind of notification; without a row: in the bell, and by e-mail
    immediately."""

    administrator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_choices", db_index=False
    )
    kind = models.CharField(max_length=40)
    in_bell = models.BooleanField(default=True)
    email = models.CharField(max_length=10, choices=Email, default=Email.NOW)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["administrator", "kind"], name="notification_choice_unique")]

    def __str__(self) -> str:
        return self.kind


class FollowedFeed(models.Model):
    """The position of a feed's reader that creates notifications."""

    name = models.CharField(max_length=40, primary_key=True)
    position = models.BigIntegerField()
    began_at = models.DateTimeField(default=clock.now)  # no notifications of earlier changes

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class AdminAddress(models.Model):
    """One row: how a browser reached the admin at the last sign-in, for links in e-mails without CMS_ADMIN_URL."""

    base_url = models.CharField(max_length=500)

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="admin_address_one_row")]

    def __str__(self) -> str:
        return self.base_url
