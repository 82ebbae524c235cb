"""API keys: who may call what, on which sites, until when."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from apikeys import tokens
from apikeys.scopes import Scope, format_scopes, parse_scopes
from cms_api import audit
from cms_api.lib import clock

# What `change` may change, by Python name, with the names that the audit shows.
MEMBERS = {
    "name": "name",
    "administrator": "administrator",
    "scopes": "scopes",
    "site_ids": "sites",
    "expires_at": "expiry",
    "requests_per_minute": "requests per minute",
}
MOST_REQUESTS = 1_000_000  # per minute


class KeyChanged(Exception):
    """Somebody else has changed or deleted the key since it was shown; nothing was done."""


class State(models.TextChoices):
    """Whether a key opens anything now, and if not, why; the values are codes of the API's refusals."""

    VALID = "valid", _("valid")
    REVOKED = "key_revoked", _("revoked")
    OWNER_LOCKED = "key_owner_locked", _("owner locked")
    EXPIRED = "key_expired", _("expired")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Words for choosing keys."""

    def in_state(self, state: State) -> Self:
        """Keys whose `state` is that one."""
        revoked, locked = Q(revoked_at__isnull=False), Q(administrator__is_locked_out=True)
        expired = Q(expires_at__isnull=False, expires_at__lte=clock.now())
        conditions = {
            State.REVOKED: revoked,
            State.OWNER_LOCKED: ~revoked & locked,
            State.EXPIRED: ~revoked & ~locked & expired,
            State.VALID: ~revoked & ~locked & ~expired,
        }
        return self.filter(conditions[state])

    @sensitive_variables("token")
    def issue(
        self,
        name: str,
        administrator: Any,
        *,
        scopes: str = "",
        site_ids: str = "",
        expires_at: datetime | None = None,
        requests_per_minute: int | None = None,
    ) -> tuple["ApiKey", str]:
        """Create a key and return it with its token, which is shown now and stored nowhere.

        Raises ValidationError when the name is taken or a value is wrong.
        """
        key = self.model(
            name=name,
            administrator=administrator,
            scopes=scopes,
            site_ids=site_ids,
            expires_at=expires_at,
            requests_per_minute=requests_per_minute,
        )
        key.full_clean()
        with _naming(key), transaction.atomic():
            key.save()
            token = key._replace_token(valid_until=None)
            details = {"owner": administrator.user_name, "scopes": key.scopes, "sites": key.site_ids}
            audit.note("api_key.created", key, public_part=tokens.public_part(token), **details)
        return key, token


class ApiKey(models.Model):
    """A key of an administrator, with scopes, an optional site list, an optional expiry and a limit of requests."""

    name = models.CharField(_("name"), max_length=200, unique=True)
    administrator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_keys", verbose_name=_("owner")
    )
    # "Contents:read,STL:read" – see apikeys.scopes.
    scopes = models.CharField(max_length=500, blank=True)
    # "1,436"; empty: every site the owner reaches. Text and no relation, so that deleting a site can
    # never widen a key.
    site_ids = models.TextField(blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    # Empty: CMS_KEY_REQUESTS_PER_MINUTE; 0: any number.
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(MOST_REQUESTS)]
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        # The highest rank alone has to do with keys: there is nothing to give to a group.
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="api_key_name_given")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse unknown scopes, and a key limited to sites with a scope that knows no sites."""
        scopes, sites = self.parse_scopes(), self.parse_site_ids()
        # One spelling, so that the same limits are the same text.
        self.scopes, self.site_ids = format_scopes(scopes), ",".join(map(str, sorted(sites or ())))
        unlimited = sorted(scope.value for scope in scopes if not scope.has_sites)
        if unlimited and sites is not None:
            message = _("A key limited to sites cannot have the scope %(scope)s.")
            raise ValidationError(message, "scope_without_sites", {"scope": unlimited[0]})
        # A form without an owner has been told so already.
        if unlimited and self.administrator_id is not None and not self.administrator.is_superuser:
            message = _("Only a key of an administrator of the highest rank can have the scope %(scope)s.")
            raise ValidationError(message, "scope_above_rank", {"scope": unlimited[0]})

    def parse_scopes(self) -> dict[Scope, str]:
        """What the key opens, and whether for reading or writing."""
        return parse_scopes(self.scopes)

    def parse_site_ids(self) -> frozenset[int] | None:
        """The sites that the key is limited to; None when it is not limited."""
        if not self.site_ids.strip():
            return None
        try:
            return frozenset(int(part) for part in self.site_ids.split(","))
        except ValueError as error:
            raise ValidationError("The sites of a key are numbers joined by commas.") from error

    @property
    def request_limit(self) -> int:
        """How many requests the key may send in a minute; 0: any number."""
        own = self.requests_per_minute
        common: int = settings.CMS_KEY_REQUESTS_PER_MINUTE
        return common if own is None else own

    @property
    def state(self) -> State:
        """Whether the key opens anything now; its previous token may have ended before."""
        if self.revoked_at is not None:
            return State.REVOKED
        if self.administrator.is_locked_out:
            return State.OWNER_LOCKED
        is_over = self.expires_at is not None and self.expires_at <= clock.now()
        return State.EXPIRED if is_over else State.VALID

    @property
    def stamp(self) -> str:
        """Another text after each act on the key, whoever did it; a page carries it along as `seen`."""
        return self.updated_at.isoformat(timespec="microseconds")

    @sensitive_variables("token")
    def reset(self, *, seen: str | None = None) -> str:
        """Replace every token of the key at once and return the new one.

        Like the acts below it raises KeyChanged when `seen` is given and no longer the key's stamp.
        """
        with self._acting(seen):
            token = self._replace_token(valid_until=None)
            audit.note("api_key.reset", self, public_part=tokens.public_part(token))
        return token

    @sensitive_variables("token")
    def rotate(self, overlap: timedelta, *, seen: str | None = None) -> str:
        """Return a new token; the current one stays valid for the overlap, an older one ends now."""
        with self._acting(seen):
            token = self._replace_token(clock.now() + overlap if overlap else None)
            audit.note("api_key.rotated", self, overlap=str(overlap), public_part=tokens.public_part(token))
        return token

    def end_overlap(self, *, seen: str | None = None) -> None:
        """End the previous token now, before the overlap of its rotation is over."""
        with self._acting(seen):
            self.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).delete()
            audit.note("api_key.overlap_ended", self)

    def revoke(self, *, seen: str | None = None) -> None:
        """Refuse the key from now on; its row stays for the record."""
        with self._acting(seen, "revoked_at"):
            self.revoked_at = clock.now()
            audit.note("api_key.revoked", self)

    def change(self, values: dict[str, Any], *, seen: str | None = None) -> list[str]:
        """Take new values of MEMBERS and return the names of those that differ. Raises ValidationError."""
        with _naming(self), self._acting(seen, *MEMBERS):
            before = {name: getattr(self, name) for name in values}
            for name, value in values.items():
                setattr(self, name, value)
            self.full_clean()
            changed = [MEMBERS[name] for name, value in before.items() if getattr(self, name) != value]
            if changed:
                audit.note("api_key.changed", self, changed=changed)
        return changed

    def discard(self, *, seen: str | None = None) -> None:
        """Delete a key that has been revoked. Raises ValidationError for any other.

        Whoever still uses a key is to read first that it is revoked, and not that it is unknown; and while it is
        there, its last use tells of them.
        """
        with self._acting(seen):
            if self.revoked_at is None:
                raise ValidationError(_("Only a key that has been revoked can be deleted."), code="key_not_revoked")
            self.delete()  # a signal notes it: an owner's deletion takes keys along, too

    @contextmanager
    def _acting(self, seen: str | None, *columns: str) -> Iterator[None]:
        """Lock the key, let the block act on it as it is now, and store the columns."""
        with transaction.atomic():
            # The row of the key is the lock: of two acts at once, one follows the other.
            row = ApiKey.objects.select_for_update().filter(pk=self.pk).first()
            if row is None or (seen is not None and seen != row.stamp):
                raise KeyChanged
            self.refresh_from_db()
            yield
            if self.pk is not None:
                self.save(update_fields=[*columns, "updated_at"])

    @sensitive_variables("text")
    def _replace_token(self, valid_until: datetime | None) -> str:
        text = tokens.make()
        if valid_until is None:
            self.tokens.all().delete()
        else:
            self.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).delete()
            self.tokens.update(slot=ApiKeyToken.Slot.PREVIOUS, valid_until=valid_until)
        ApiKeyToken.record(self, text)
        return text


@contextmanager
def _naming(key: ApiKey) -> Iterator[None]:
    """Say in the form's words that a name is taken that somebody else has taken since it was looked at."""
    try:
        yield
    except IntegrityError:
        key.validate_unique()
        raise


class ApiKeyToken(models.Model):
    """One of at most two tokens of a key: the current one, or the previous one until its end."""

    class Slot(models.IntegerChoices):
        CURRENT = 0
        PREVIOUS = 1

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="tokens")
    slot = models.SmallIntegerField(choices=Slot, default=Slot.CURRENT)
    public_part = models.CharField(max_length=8, unique=True)
    digest = models.CharField(max_length=64)  # SHA-256 of the whole text, hexadecimal
    created_at = models.DateTimeField(default=clock.now, editable=False)
    valid_until = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("token of an API key")
        verbose_name_plural = _("tokens of API keys")
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["api_key", "slot"], name="api_key_token_slots"),
            models.CheckConstraint(
                condition=models.Q(slot=0, valid_until=None) | models.Q(slot=1, valid_until__isnull=False),
                name="api_key_previous_token_ends",
            ),
        ]

    def __str__(self) -> str:
        return self.public_part

    @classmethod
    def record(cls, key: ApiKey, text: str) -> Self:
        """Store the public part and the digest of a token as the key's current one."""
        return cls.objects.create(api_key=key, public_part=tokens.public_part(text), digest=tokens.digest(text))

    @property
    def state(self) -> State:
        """The key's, and expired once the overlap of its rotation is over."""
        state = self.api_key.state
        is_over = self.valid_until is not None and self.valid_until <= clock.now()
        return State.EXPIRED if state is State.VALID and is_over else state

    def matches(self, text: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return secrets.compare_digest(self.digest, tokens.digest(text))
