"""API keys: who may call what, on which sites, until when."""

import secrets
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models, transaction

from apikeys import tokens
from apikeys.scopes import parse_scopes
from cms_api.lib import clock


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Words for choosing keys."""

    def issue(
        self,
        name: str,
        administrator: Any,
        *,
        scopes: str = "",
        site_ids: str = "",
        expires_at: datetime | None = None,
    ) -> tuple["ApiKey", str]:
        """Create a key and return it with its token, which is shown now and stored nowhere.

        Raises ValidationError when the name is taken or a value is wrong.
        """
        key = self.model(
            name=name, administrator=administrator, scopes=scopes, site_ids=site_ids, expires_at=expires_at
        )
        key.full_clean()
        with transaction.atomic(using=self.db):
            key.save(using=self.db)
            token = key.reset()
        return key, token


class ApiKey(models.Model):
    """A key of an administrator, with scopes, an optional site list and an optional expiry."""

    name = models.CharField(max_length=200, unique=True)
    administrator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_keys")
    # "Contents:read,STL:read" – see apikeys.scopes.
    scopes = models.CharField(max_length=500, blank=True)
    # "1,436"; empty: every site the owner reaches. Text and no relation, so that deleting a site can
    # never widen a key.
    site_ids = models.TextField(blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="api_key_name_given")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse unknown scopes, and a key limited to sites with a scope that knows no sites."""
        scopes, sites = parse_scopes(self.scopes), self.parse_site_ids()
        unlimited = sorted(scope.value for scope in scopes if not scope.has_sites)
        if unlimited and sites is not None:
            message = f"A key limited to sites cannot have the scope {unlimited[0]}."
            raise ValidationError(message, code="scope_without_sites")
        # A form without an owner has been told so already.
        if unlimited and self.administrator_id is not None and not self.administrator.is_superuser:
            message = f"Only a key of an administrator of the highest rank can have the scope {unlimited[0]}."
            raise ValidationError(message, code="scope_above_rank")

    def parse_site_ids(self) -> frozenset[int] | None:
        """The sites that the key is limited to; None when it is not limited."""
        if not self.site_ids.strip():
            return None
        try:
            return frozenset(int(part) for part in self.site_ids.split(","))
        except ValueError as error:
            raise ValidationError("The sites of a key are numbers joined by commas.") from error

    def reset(self) -> str:
        """Replace every token of the key at once and return the new one."""
        return self._replace_token(valid_until=None)

    def rotate(self, overlap: timedelta) -> str:
        """Return a new token; the current one stays valid for the overlap, an older one ends now."""
        return self._replace_token(clock.now() + overlap if overlap else None)

    def revoke(self) -> None:
        """Refuse the key from now on; its row stays for the record."""
        self.revoked_at = clock.now()
        self.save(update_fields=["revoked_at", "updated_at"])

    def _replace_token(self, valid_until: datetime | None) -> str:
        text = tokens.make()
        with transaction.atomic():
            # The row of the key is the lock: of two rotations at once, one follows the other.
            ApiKey.objects.select_for_update().get(pk=self.pk)
            if valid_until is None:
                self.tokens.all().delete()
            else:
                self.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).delete()
                self.tokens.update(slot=ApiKeyToken.Slot.PREVIOUS, valid_until=valid_until)
            ApiKeyToken.record(self, text)
            self.save(update_fields=["updated_at"])
        return text


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
        verbose_name = "API key token"
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

    def matches(self, text: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return secrets.compare_digest(self.digest, tokens.digest(text))
