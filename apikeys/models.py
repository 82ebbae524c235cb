import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import IntegrityError, models, transaction
from django.db.models import Max, Q
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from apikeys import tokens
from apikeys.scopes import Scope, format_scopes, parse_scopes
from core import audit
from core.lib import clock

# Columns that `change` accepts → names in the audit.
MEMBERS = {
    "name": "name",
    "administrator": "administrator",
    "scopes": "scopes",
    "site_ids": "sites",
    "expires_at": "expiry",
    "requests_per_minute": "requests per minute",
}
MAX_REQUESTS = 1_000_000  # per minute
# Of a key by any token; NULL if there was none, since on SQLite a NULL makes the greatest value NULL.
_LAST, _LEGACY_LAST = Max("tokens__last_used_at"), Max("legacy_tokens__last_used_at")
LAST_USE = Greatest(Coalesce(_LAST, _LEGACY_LAST), Coalesce(_LEGACY_LAST, _LAST))


class KeyChanged(Exception):
    """Someone has changed or deleted the key since it was shown; nothing was done."""


class KeyState(models.TextChoices):
    """The reason why a key opens nothing now, or `valid`; the values are error codes of the API."""

    VALID = "valid", _("valid")
    REVOKED = "key_revoked", _("revoked")
    OWNER_LOCKED = "key_owner_locked", _("owner locked")
    EXPIRED = "key_expired", _("expired")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def in_state(self, state: KeyState) -> Self:
        revoked, locked = Q(revoked_at__isnull=False), Q(administrator__is_locked_out=True)
        expired = Q(expires_at__isnull=False, expires_at__lte=clock.steady())
        conditions = {
            KeyState.REVOKED: revoked,
            KeyState.OWNER_LOCKED: ~revoked & locked,
            KeyState.EXPIRED: ~revoked & ~locked & expired,
            KeyState.VALID: ~revoked & ~locked & ~expired,
        }
        return self.filter(conditions[state])

    @sensitive_variables("token")
    def issue(self, name: str, administrator: Any, **values: Any) -> tuple["ApiKey", str]:
        """Create a key of MEMBERS and return it with its token, which is not stored. Raises ValidationError."""
        key = self.model(name=name, administrator=administrator, **values)
        key.full_clean()
        with _naming(key), transaction.atomic():
            key.save()
            token = key._add_token()
            details = {"owner": administrator.user_name, "scopes": key.scopes, "sites": key.site_ids}
            audit.record("api_key.created", key, public_part=tokens.public_part(token), **details)
        return key, token

    def adopt(self, name: str, administrator: Any, digests: Collection[str], **values: Any) -> "ApiKey":
        """Create a key without a token of its own, which accepts SiteServer's texts. Raises ValidationError."""
        key = self.model(name=name, administrator=administrator, **values)
        key.full_clean()
        with _naming(key), transaction.atomic():
            key.save()
            key._accept(digests)
            details = {"owner": administrator.user_name, "scopes": key.scopes, "source": "SiteServer"}
            audit.record("api_key.created", key, **details)
        return key


class ApiKey(models.Model):
    name = models.CharField(_("name"), max_length=200, unique=True)
    administrator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_keys", verbose_name=_("owner")
    )
    # "Contents:read,STL:read" (apikeys.scopes)
    scopes = models.CharField(max_length=500, blank=True)
    # "1,436"; empty: every site the owner reaches. Text, not a relation, so that deleting a site never widens a key.
    site_ids = models.TextField(blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    # Empty: CMS_KEY_REQUESTS_PER_MINUTE; 0: no limit.
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(MAX_REQUESTS)]
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        # Only the highest rank manages keys, so groups have no permissions for them.
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="api_key_name_given")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        scopes, sites = self.parse_scopes(), self.parse_site_ids()
        # One spelling, so that equal limits are equal texts.
        self.scopes, self.site_ids = format_scopes(scopes), ",".join(map(str, sorted(sites or ())))
        unlimited = sorted(scope.value for scope in scopes if not scope.has_sites)
        if unlimited and sites is not None:
            message = _("A key limited to sites cannot have the scope %(scope)s.")
            raise ValidationError(message, "scope_without_sites", {"scope": unlimited[0]})
        # The form reports a missing owner itself.
        if unlimited and self.administrator_id is not None and not self.administrator.is_superuser:
            message = _("Only a key whose owner is a superuser can have the scope %(scope)s.")
            raise ValidationError(message, "scope_above_rank", {"scope": unlimited[0]})

    def parse_scopes(self) -> dict[Scope, str]:
        return parse_scopes(self.scopes)

    def parse_site_ids(self) -> frozenset[int] | None:
        if not self.site_ids.strip():
            return None
        try:
            return frozenset(int(part) for part in self.site_ids.split(","))
        except ValueError as error:
            raise ValidationError("The sites of a key must be ids joined by commas.") from error

    @property
    def request_limit(self) -> int:
        """Requests per minute; 0: no limit."""
        own = self.requests_per_minute
        common: int = settings.CMS_KEY_REQUESTS_PER_MINUTE
        return common if own is None else own

    @property
    def state(self) -> KeyState:
        if self.revoked_at is not None:
            return KeyState.REVOKED
        if self.administrator.is_locked_out:
            return KeyState.OWNER_LOCKED
        is_over = self.expires_at is not None and self.expires_at <= clock.steady()
        return KeyState.EXPIRED if is_over else KeyState.VALID

    @property
    def stamp(self) -> str:
        """A text that changes with each act on the key; pages send it back as `seen`."""
        return self.updated_at.isoformat(timespec="microseconds")

    @sensitive_variables("token")
    def reset(self, *, seen: str | None = None) -> str:
        """Replace every token immediately; return the new one. Raises KeyChanged if `seen` is not None and not the
        stamp."""
        with self._acting(seen):
            token = self._replace_token(valid_until=None)
            audit.record("api_key.reset", self, public_part=tokens.public_part(token))
        return token

    @sensitive_variables("token")
    def rotate(self, overlap: timedelta, *, seen: str | None = None) -> str:
        """Return a new token; the current one stays valid for the overlap, an older one ends now.

        Without an overlap, tokens of SiteServer end too; otherwise they stay valid until their own end.
        """
        with self._acting(seen):
            token = self._replace_token(clock.steady(overlap) if overlap else None)
            audit.record("api_key.rotated", self, overlap=str(overlap), public_part=tokens.public_part(token))
        return token

    def end_overlap(self, *, seen: str | None = None) -> None:
        with self._acting(seen):
            self.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).delete()
            audit.record("api_key.overlap_ended", self)

    def replace_legacy(self, digests: Collection[str]) -> None:
        """Accept other tokens of SiteServer than before."""
        with self._acting(None):
            self.legacy_tokens.all().delete()
            self._accept(digests)
            audit.record("api_key.changed", self, changed=["token"])

    def end_legacy(self, *, seen: str | None = None) -> None:
        with self._acting(seen):
            self.legacy_tokens.all().delete()
            audit.record("api_key.legacy_ended", self)

    def revoke(self, *, seen: str | None = None) -> None:
        with self._acting(seen, "revoked_at"):
            self.revoked_at = clock.now()
            audit.record("api_key.revoked", self)

    def change(self, values: dict[str, Any], *, seen: str | None = None) -> list[str]:
        """Set new values of MEMBERS and return the names of changed ones. Raises ValidationError."""
        with _naming(self), self._acting(seen, *MEMBERS):
            before = {name: getattr(self, name) for name in values}
            for name, value in values.items():
                setattr(self, name, value)
            self.full_clean()
            changed = [MEMBERS[name] for name, value in before.items() if getattr(self, name) != value]
            if changed:
                audit.record("api_key.changed", self, changed=changed)
        return changed

    def discard(self, *, seen: str | None = None) -> None:
        """Delete a revoked key; revoking it first gives clients a clear error. Raises ValidationError."""
        with self._acting(seen):
            if self.revoked_at is None:
                raise ValidationError(_("Only a key that has been revoked can be deleted."), code="key_not_revoked")
            self.delete()  # a signal records it, since deleting an owner deletes keys, too

    @contextmanager
    def _acting(self, seen: str | None, *columns: str) -> Iterator[None]:
        """Lock the key, run the block on its current row, and store the columns."""
        with transaction.atomic():
            # Locking the key's row serializes concurrent actions.
            row = ApiKey.objects.select_for_update().filter(pk=self.pk).first()
            if row is None or (seen is not None and seen != row.stamp):
                raise KeyChanged
            self.refresh_from_db()
            yield
            is_changed = not columns or any(getattr(self, name) != getattr(row, name) for name in columns)
            if self.pk is not None and is_changed:
                self.save(update_fields=[*columns, "updated_at"])

    def _replace_token(self, valid_until: datetime | None) -> str:
        if valid_until is None:
            self.tokens.all().delete()
            self.legacy_tokens.all().delete()
        else:
            self.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).delete()
            self.tokens.update(slot=ApiKeyToken.Slot.PREVIOUS, valid_until=valid_until)
        return self._add_token()

    @sensitive_variables("text")
    def _add_token(self) -> str:
        text = tokens.make()
        self.tokens.create(public_part=tokens.public_part(text), digest=tokens.digest(text))
        return text

    def _accept(self, digests: Collection[str]) -> None:
        ends_at = clock.steady(timedelta(days=settings.CMS_LEGACY_KEY_DAYS))
        for digest in digests:
            self.legacy_tokens.create(digest=digest, ends_at=ends_at)


@contextmanager
def _naming(key: ApiKey) -> Iterator[None]:
    """Turn a name conflict that arose after the check into the form's error."""
    try:
        yield
    except IntegrityError:
        key.validate_unique()
        raise


class Token(models.Model):
    """Base of the tokens of a key."""

    api_key: ApiKey
    valid_until: datetime | None
    created_at = models.DateTimeField(default=clock.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def state(self) -> KeyState:
        """The key's state, or expired if the token has ended."""
        state = self.api_key.state
        is_over = self.valid_until is not None and self.valid_until <= clock.steady()
        return KeyState.EXPIRED if state is KeyState.VALID and is_over else state


class ApiKeyToken(Token):
    """One of at most two tokens of a key: the current one, or the previous one until its end."""

    class Slot(models.IntegerChoices):
        CURRENT = 0
        PREVIOUS = 1

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="tokens")
    slot = models.SmallIntegerField(choices=Slot, default=Slot.CURRENT)
    public_part = models.CharField(max_length=8, unique=True)
    digest = models.CharField(max_length=64)  # SHA-256 of the whole text, hexadecimal
    valid_until = models.DateTimeField(null=True, blank=True)

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

    def matches(self, text: str) -> bool:
        return secrets.compare_digest(self.digest, tokens.digest(text))


class LegacyTokenQuerySet(models.QuerySet["LegacyToken"]):
    def accepted(self) -> Self:
        return self.filter(ends_at__gt=clock.steady())

    def find(self, text: str) -> "LegacyToken | None":
        if not tokens.is_of_siteserver(text):
            return None
        return self.select_related("api_key__administrator").filter(digest=tokens.digest(text)).first()


class LegacyToken(Token):
    """SiteServer's text of a migrated key; it stays valid until its end, so that clients need no new one."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="legacy_tokens")
    digest = models.CharField(max_length=64, unique=True)  # SHA-256 of the whole text, hexadecimal
    ends_at = models.DateTimeField()

    objects = LegacyTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("original token of an API key")
        verbose_name_plural = _("original tokens of API keys")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.api_key} until {self.ends_at}"

    @property
    def valid_until(self) -> datetime:  # type: ignore[override]
        return self.ends_at
