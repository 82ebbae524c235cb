from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.rest.preconditions import Precondition
from webhooks import messages
from webhooks.event_names import EVENT_NAMES
from webhooks.receivers import MAX_URL, read_url

# Columns that `change` accepts → names in the audit.
MEMBERS = {"name": "name", "url": "url", "site_id": "siteId", "event_names": "events", "is_on": "isOn"}
OVERLAP = timedelta(hours=24)  # of both secrets after a rotation


class WebhookChanged(Exception):
    """Someone has changed or deleted the webhook since it was shown; nothing was done."""


class Webhook(models.Model):
    """A receiver of events: requests go to its URL, signed with its secret."""

    class Reason(models.TextChoices):
        NONE = "", _("none")
        FAILING = "failing", _("every delivery failed for 24 hours")
        GONE = "gone", _("the receiver responded 410 Gone")

    name = models.CharField(_("name"), max_length=200)
    url = models.CharField("URL", max_length=MAX_URL)
    # 0: every site, and users. No relation, since this app imports no other; a deleted site has no more events.
    site_id = models.BigIntegerField(_("site"), default=0)
    # "content.deleted,content.published"; empty: all
    event_names = models.TextField(blank=True)
    is_on = models.BooleanField(_("on"), default=True)
    # As text, since it signs each request. Shown once; a backup contains it.
    secret = models.CharField(max_length=100)
    old_secret = models.CharField(max_length=100, blank=True)
    old_secret_ends_at = models.DateTimeField(null=True, blank=True)
    # Of the last event that has its deliveries.
    position = models.BigIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason, blank=True, default=Reason.NONE)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        # For the highest rank and site administrators, so groups have no permissions for them.
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="webhook_name_given")]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def create(cls, values: Mapping[str, Any], position: int) -> "Webhook":
        """Create a webhook of MEMBERS for the events after the position. Raises InvalidInput."""
        hook = cls(**values, secret=messages.make_secret(), position=position)
        hook.validate()
        with transaction.atomic():
            hook.save()
            audit.record("webhook.created", hook, site_id=hook.site_id or None, url=hook.url)
        return hook

    def validate(self) -> None:
        """Raises InvalidInput."""
        if is_blank(self.name):
            raise InvalidInput("missing_member", "name is required.", member="name")
        names = self.parse_event_names()
        if unknown := names - EVENT_NAMES.keys():
            raise InvalidInput("event_unknown", f"There is no event {min(unknown)}.", member="events")
        # One spelling, so that equal choices are equal texts.
        self.event_names = ",".join(sorted(names))
        read_url(self.url)

    def parse_event_names(self) -> frozenset[str]:
        return frozenset(filter(None, (name.strip() for name in self.event_names.split(","))))

    @property
    def stamp(self) -> str:
        """A text that changes with each act on the webhook; pages send it back as `seen`."""
        return self.updated_at.isoformat(timespec="microseconds")

    @property
    def keys(self) -> list[str]:
        """The secrets that sign now, the current one first."""
        is_old_valid = self.old_secret_ends_at is not None and clock.steady() < self.old_secret_ends_at
        return [self.secret, self.old_secret] if is_old_valid else [self.secret]

    def change(self, values: Mapping[str, Any], *, seen: str | None = None, check: Precondition | None = None) -> None:
        """Set new values of MEMBERS. Raises InvalidInput, WebhookChanged, and the errors of `check`."""
        with self._acting(seen, *MEMBERS, "failing_since", "paused_until", "disabled_at", "reason"):
            if check is not None:
                check(self)
            before = {name: getattr(self, name) for name in MEMBERS}
            for name, value in values.items():
                setattr(self, name, value)
            self.validate()
            if self.is_on and not before["is_on"]:
                self.failing_since = self.paused_until = self.disabled_at = None
                self.reason = self.Reason.NONE
                # They have the whole time again.
                self.deliveries.filter(state=Delivery.State.WAITING).update(first_sent_at=None, attempt_count=0)
                self.deliveries.filter(next_at__isnull=False).update(next_at=clock.steady())
            elif before["is_on"] and not self.is_on:
                self.disabled_at = clock.now()
            changed = [MEMBERS[name] for name, value in before.items() if getattr(self, name) != value]
            if changed:
                audit.record("webhook.changed", self, site_id=self.site_id or None, changed=changed)

    def rotate(self, *, seen: str | None = None) -> str:
        """Return a new secret; the current one signs, too, for OVERLAP."""
        with self._acting(seen, "secret", "old_secret", "old_secret_ends_at"):
            self.old_secret, self.secret = self.secret, messages.make_secret()
            self.old_secret_ends_at = clock.steady(OVERLAP)
            audit.record("webhook.secret_rotated", self, site_id=self.site_id or None)
        return self.secret

    def discard(self, *, seen: str | None = None, check: Precondition | None = None) -> None:
        """Delete the webhook with its deliveries. Raises WebhookChanged, and the errors of `check`."""
        with self._acting(seen):
            if check is not None:
                check(self)
            audit.record("webhook.deleted", self, site_id=self.site_id or None)
            self.delete()

    @contextmanager
    def _acting(self, seen: str | None, *columns: str) -> Iterator[None]:
        """Lock the webhook, run the block on its current row, and store the columns."""
        with transaction.atomic():
            row = Webhook.objects.select_for_update().filter(pk=self.pk).first()
            if row is None or (seen is not None and seen != row.stamp):
                raise WebhookChanged
            self.refresh_from_db()
            yield
            is_changed = not columns or any(getattr(self, name) != getattr(row, name) for name in columns)
            if self.pk is not None and is_changed:
                self.save(update_fields=[*columns, "updated_at"])


class Delivery(models.Model):
    """One event for one webhook.

    Only the oldest waiting delivery of a subject has a due time; the others follow in the order of their positions.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        GIVEN_UP = "givenUp", _("given up")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", db_index=False)
    # No relation: events are purged earlier or later. Position and message stay the same in each attempt and replay.
    position = models.BigIntegerField()
    message_id = models.CharField(_("message"), max_length=40)  # "evt_17"
    event_name = models.CharField(_("event"), max_length=60)
    subject = models.CharField(_("subject"), max_length=60)  # "content:17"
    occurred_at = models.DateTimeField(_("time"))
    payload = models.TextField()
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.WAITING)
    next_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    first_sent_at = models.DateTimeField(null=True, blank=True)
    attempt_count = models.IntegerField(_("attempts"), default=0)
    # [{"at": "2026-11-26 09:30:00", "status": 500, "error": "", "response": "…", "milliseconds": 12}], oldest first
    attempts = models.JSONField(default=list)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["webhook", "position"], name="webhook_delivery_once"),
            models.UniqueConstraint(
                fields=["webhook", "subject"], condition=models.Q(next_at__isnull=False), name="webhook_delivery_turn"
            ),
        ]
        indexes = [
            models.Index(
                fields=["webhook", "next_at"], condition=models.Q(next_at__isnull=False), name="webhook_delivery_due"
            ),
            models.Index(
                fields=["webhook", "subject", "position"],
                condition=models.Q(state="waiting"),
                name="webhook_delivery_line",
            ),
            models.Index(
                fields=["webhook"], condition=models.Q(claimed_until__isnull=False), name="webhook_delivery_claimed"
            ),
            models.Index(fields=["ended_at"], name="webhook_delivery_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.event_name} {self.message_id}"
