import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, Self

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, Group, PermissionsMixin
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, CharField, F, Func, Q, Value
from django.db.models.sql.compiler import SQLCompiler
from django.utils.crypto import get_random_string, salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.folded_fields import FoldedField, FoldingStamp
from accounts.hashers import md5_form, verify_md5
from accounts.validators import why_weak
from core import audit
from core.admin.places import EVERYWHERE, NOWHERE, Places
from core.lib import clock
from core.lib.folding import doubled, fold, is_blank

CODE_PERIOD = timedelta(hours=1)  # in which wrong codes of a second factor count together
# Prevents confusable names of administrators.
NAME_RULE = "a text that is not blank, does not begin or end with a space and contains no control characters"
UNIQUE = ("user_name", "email", "mobile")
FOLDED = ("user_name", "display_name", "email", "mobile")


def is_clear_name(text: str) -> bool:
    return (
        not is_blank(text) and text == text.strip() and not any(unicodedata.category(letter) == "Cc" for letter in text)
    )


def has_name(text: str) -> Q:
    """Match the name as `fold` compares names; worded, like the next two, so that the unique index is used."""
    return _has("user_name", text)


def has_email(text: str) -> Q:
    return _has("email", text)


def has_mobile(text: str) -> Q:
    return _has("mobile", text)


def _has(column: str, text: str) -> Q:
    return Q((f"folded_{column}__in", [fold(text), doubled(text)])) & _is_given(column)


def _is_given(column: str) -> Q:
    # Matches the condition of the indexes.
    return ~Q((f"folded_{column}", ""))


class _ByBytes(Func):
    """Compares two texts byte by byte, like the indexes."""

    template = "%(expressions)s"
    output_field = BooleanField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **options: Any) -> Any:
        return self.as_sql(compiler, connection, arg_joiner=f" ~{self.extra['arg_joiner'].strip()}~ ", **options)


def _begins(column: str, text: str) -> Q:
    start, folded = fold(text), F(f"folded_{column}")
    first, last = (Value(each, output_field=CharField()) for each in (start, start + chr(0x10FFFF)))
    # The last one sorts after any continuation.
    return _is_given(column) & Q(_ByBytes(folded, first, arg_joiner=" >= "), _ByBytes(folded, last, arg_joiner=" < "))


def with_folded(columns: set[str]) -> set[str]:
    """Add the columns that are derived from these."""
    texts = columns.intersection(FOLDED)
    return {*columns, *(f"folded_{column}" for column in texts), "folding_stamp"} if texts else columns


@cache
def _unknown_password() -> str:
    # One per process: hashing takes 20 ms, and the accounts that share it cannot be distinguished from outside.
    return make_password(get_random_string(40))


class AccountQuerySet(models.QuerySet[Any]):
    def named(self, text: str) -> Self:
        return self.filter(has_name(text))

    def with_email(self, text: str) -> Self:
        return self.filter(has_email(text))

    def with_mobile(self, text: str) -> Self:
        return self.filter(has_mobile(text))

    def displaying(self, text: str) -> Self:
        return self.filter(folded_display_name__contains=fold(text))

    def beginning(self, text: str) -> Self:
        return self.filter(Q(*(_begins(column, text) for column in FOLDED), _connector=Q.OR))

    def matching(self, text: str) -> Self:
        folded = fold(text)
        return self.filter(Q(*((f"folded_{column}__contains", folded) for column in FOLDED), _connector=Q.OR))


def _unique_if_given(column: str) -> models.UniqueConstraint:
    # Of this class the index also serves beginnings, in every collation of PostgreSQL.
    name = f"%(class)s_folded_{column.removeprefix('user_')}_unique"
    return models.UniqueConstraint(
        fields=[f"folded_{column}"], condition=_is_given(column), opclasses=["text_pattern_ops"], name=name
    )


class Account(models.Model):
    """Base of administrators and users; name, e-mail address and mobile are unique within one kind of account."""

    PASSWORD_DATE: str  # the column with the date of the last password change
    CREATION_DATE: str
    _has_new_password = False  # not stored yet

    user_name = models.CharField(pgettext_lazy("of a person", "name"), max_length=255)
    password = models.CharField(_("password"), max_length=255)  # in the form of accounts.hashers
    # Random, renewed with each password: tokens and the stand-ins in responses are derived from it.
    password_stamp = models.CharField(max_length=22, blank=True, db_default="", editable=False)
    # Random, renewed while the account may not sign in: ends all earlier tokens and sessions.
    token_stamp = models.CharField(max_length=22, blank=True, db_default="", editable=False)
    last_activity_date = models.DateTimeField(_("last activity"), null=True, blank=True)
    count_of_login = models.PositiveBigIntegerField(_("sign-ins"), default=0)
    count_of_failed_login = models.PositiveBigIntegerField(_("failed sign-ins"), default=0)
    is_locked_out = models.BooleanField(_("locked"), default=False)
    # The last unlocking; starts new counts of failed sign-ins (accounts.attempts).
    unlocked_at = models.DateTimeField(null=True, editable=False)
    display_name = models.CharField(_("display name"), max_length=255, blank=True)
    email = models.CharField(_("email address"), max_length=255, blank=True)
    mobile = models.CharField(_("mobile"), max_length=50, blank=True)
    folded_user_name = FoldedField("user_name")
    folded_display_name = FoldedField("display_name")
    folded_email = FoldedField("email")
    folded_mobile = FoldedField("mobile")
    folding_stamp = FoldingStamp(FOLDED)

    class Meta:
        abstract = True
        constraints = [
            *(_unique_if_given(column) for column in UNIQUE),
            models.CheckConstraint(condition=~models.Q(user_name=""), name="%(class)s_name_given"),
        ]
        # Those that the last release wrote, until `folding.fold_again`.
        indexes = [models.Index(fields=["id"], condition=Q(folding_stamp=None), name="%(class)s_unfolded")]

    def __str__(self) -> str:
        return self.user_name

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        """End sessions and tokens if signing in is barred; audit new passwords here, since Django also stores some."""
        barred = {"token_stamp"} if self.end_tokens() else set()
        if update_fields is not None:
            update_fields = with_folded({*update_fields, *barred})
        is_other_password = self._has_new_password and not self._state.adding
        with transaction.atomic(using=options.get("using")):
            super().save(*args, update_fields=update_fields, **options)
            if is_other_password:
                audit.record(f"{self._meta.model_name}.password_changed", self)
        self._has_new_password = False

    def end_tokens(self) -> bool:
        """Renew the token stamp and return true if the account may not sign in; the caller saves."""
        if not self.may_sign_in:
            self.token_stamp = get_random_string(22)
        return not self.may_sign_in

    @property
    def may_sign_in(self) -> bool:
        """Return true unless the account is locked, regardless of failed sign-ins."""
        return not self.is_locked_out

    @property
    def is_shut_out(self) -> bool:
        """Return true after too many consecutive wrong passwords (CMS_LOCKOUT), as in SiteServer."""
        if settings.CMS_LOCKOUT == "off" or self.count_of_failed_login < settings.CMS_LOCKOUT_FAILURES:
            return False
        last, shut = self.last_activity_date, timedelta(hours=settings.CMS_LOCKOUT_HOURS)
        return settings.CMS_LOCKOUT == "forever" or (last is not None and clock.steady(-shut) < last)

    @property
    def last_activity(self) -> datetime | None:
        """Return the last sign-in or failure, or None: new accounts store their creation date in the column."""
        moment = self.last_activity_date
        return None if moment == getattr(self, self.CREATION_DATE) else moment

    def set_password(self, raw_password: str | None) -> None:
        """Hash a plain password; the caller saves."""
        self.password = make_password(raw_password)
        self.password_stamp = get_random_string(22)
        self._has_new_password = True
        setattr(self, self.PASSWORD_DATE, clock.now())

    def set_unknown_password(self) -> None:
        """Set a random password; the caller saves. Sign-ins fail as slowly as with any wrong password."""
        self.password, self.password_stamp = _unknown_password(), get_random_string(22)
        setattr(self, self.PASSWORD_DATE, clock.now())

    def check_password(self, raw_password: str | None) -> bool:
        return raw_password is not None and verify_md5(md5_form(raw_password), self.password)


class AdministratorQuerySet(AccountQuerySet):
    def displaying(self, text: str) -> Self:
        # Responses show the name in place of an empty display name.
        folded = fold(text)
        return self.filter(
            Q(folded_display_name__contains=folded) | Q(display_name="", folded_user_name__contains=folded)
        )

    def of_highest_rank(self) -> Self:
        return self.filter(is_superuser=True, is_locked_out=False)


def present_creator() -> str:
    """Return the name of the acting administrator, in person or by a key; empty in a command."""
    actor = audit.current_actor()
    return "" if actor.kind == "command" else actor.name


class AdministratorManager(BaseUserManager["Administrator"]):
    def get_queryset(self) -> AdministratorQuerySet:
        return AdministratorQuerySet(self.model, using=self._db)

    def create_user(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        """Raises ValidationError, also for weak passwords, which `createsuperuser --no-input` does not check."""
        if not is_clear_name(user_name):
            raise ValidationError(f"The name must be {NAME_RULE}.", code="name_invalid")
        # At sign-in a name takes precedence over another account's e-mail address or mobile (accounts.uniqueness).
        if self.get_queryset().filter(has_name(user_name) | has_email(user_name) | has_mobile(user_name)).exists():
            message = "The name is taken: another administrator has it as a name, e-mail address or mobile number."
            raise ValidationError(message, code="name_taken")
        fields.setdefault("creator_user_name", present_creator())
        administrator = self.model(user_name=user_name, **fields)
        if password is not None and (problem := why_weak(administrator, password)):
            raise ValidationError(problem, code="password_too_weak")
        administrator.set_password(password)
        with transaction.atomic(using=self._db):
            administrator.save(using=self._db)
            audit.record("administrator.created", administrator)
        return administrator

    def create_superuser(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        return self.create_user(user_name, password, is_superuser=True, **fields)

    def get_by_natural_key(self, user_name: str | None) -> "Administrator":
        named = self.get_queryset().named(user_name or "")
        found: Administrator = named.filter(user_name=user_name).first() or named.get()
        return found

    def first_of_highest_rank(self) -> "Administrator | None":
        return self.get_queryset().of_highest_rank().order_by("id").first()


class Grant(NamedTuple):
    """Permissions, by full name, from a group or, if it is empty, the account itself, and where they apply."""

    group: str
    permissions: frozenset[str]
    places: Places


class Administrator(Account, AbstractBaseUser, PermissionsMixin):
    """`is_superuser` is the highest rank; others have the sites in `site_id_collection` and the permissions of
    groups."""

    PASSWORD_DATE = "last_change_password_date"  # noqa: S105 - the name of a column
    CREATION_DATE = "creation_date"

    # Django requires the name to be unique by itself, not only in its folded form.
    user_name = models.CharField(pgettext_lazy("of a person", "name"), max_length=255, unique=True)
    creation_date = models.DateTimeField(_("created"), default=clock.now)
    last_change_password_date = models.DateTimeField(_("last change of the password"), default=clock.now)
    creator_user_name = models.CharField(_("created by"), max_length=255, blank=True)
    site_id_collection = models.TextField(_("sites"), blank=True)
    site_id = models.BigIntegerField(_("site last used"), default=0)
    department_id = models.BigIntegerField(_("department"), default=0)
    area_id = models.BigIntegerField(_("area"), default=0)
    # Of the admin and of e-mails; empty: the browser decides.
    language = models.CharField(_("language"), max_length=20, blank=True, db_default="")
    # The uploaded picture, by its name in the media storage.
    avatar_file = models.CharField(max_length=100, blank=True, db_default="", editable=False)

    objects = AdministratorManager()
    USERNAME_FIELD = "user_name"
    EMAIL_FIELD = "email"

    class Meta(Account.Meta):
        verbose_name = _("administrator")
        verbose_name_plural = _("administrators")

    @property
    def is_active(self) -> bool:  # type: ignore[override]
        return not self.is_locked_out

    is_staff = True  # may enter the admin; the rank determines its pages

    @property
    def reachable_site_ids(self) -> frozenset[int]:
        return frozenset(int(part) for part in self.site_id_collection.split(",") if part.strip().isdecimal())

    @cached_property
    def grants(self) -> list[Grant]:
        """Return the permissions that an ordinary administrator has through groups or directly.

        Takes one statement in addition to Django's own for permissions without a group.
        """
        if not self.is_active:
            return []
        none, zero = Value(""), Value(0)
        names = ("pk", "name", "permissions__content_type__app_label", "permissions__codename", zero, zero)
        rights = self.groups.filter(permissions__isnull=False).values_list(*names)
        limits = GroupPlace.objects.filter(group__user=self)
        limited = limits.values_list("group_id", none, none, none, "site_id", "channel_id")
        places: dict[int, list[tuple[int, int]]] = {}
        permissions: dict[tuple[int, str], set[str]] = {}
        # Together, so that both are from before or after a change of the group.
        for group_id, group, app_label, codename, *place in rights.union(limited, all=True):
            if app_label:
                permissions.setdefault((group_id, group), set()).add(f"{app_label}.{codename}")
            else:
                places.setdefault(group_id, []).append((place[0], place[1]))
        own = Grant("", frozenset(self.get_user_permissions()), EVERYWHERE)
        of_groups = [
            Grant(group, frozenset(names), Places.of_rows(places[pk]) if pk in places else EVERYWHERE)
            for (pk, group), names in permissions.items()
        ]
        return [*of_groups, own]

    @cached_property
    def granted_places(self) -> dict[str, Places]:
        """The places of each permission of an ordinary administrator: places of the groups, and everywhere for direct
        permissions.

        Takes the statements of `grants`.
        """
        found: dict[str, Places] = {}
        for grant in self.grants:
            found |= {name: found.get(name, NOWHERE) | grant.places for name in grant.permissions}
        return found

    def look_after(self, site_id: int) -> None:
        """Give the administrator the site, in the transaction that creates it."""
        found = Administrator.objects.get_queryset().select_for_update().get(pk=self.pk)
        if found.is_superuser or site_id in found.reachable_site_ids:
            return
        found.site_id_collection = ",".join(map(str, sorted({*found.reachable_site_ids, site_id})))
        found.save(update_fields=["site_id_collection"])
        audit.record("administrator.changed", found, changed=["siteIdCollection"])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        # Django uses the stored password, which also changes when it is rehashed (accounts.sign_in).
        return salted_hmac(
            "accounts.sessions", f"{self.password_stamp} {self.token_stamp}", secret, algorithm="sha256"
        ).hexdigest()

    def get_full_name(self) -> str:
        return self.display_name or self.user_name

    @property
    def picture_url(self) -> str:
        return settings.MEDIA_URL + self.avatar_file if self.avatar_file else ""


class SecondFactor(models.Model):
    """An administrator's authenticator app (TOTP, RFC 6238).

    The secret is readable, since codes are computed from it. It opens nothing without the password.
    """

    administrator = models.OneToOneField(Administrator, models.CASCADE, primary_key=True, related_name="second_factor")
    secret = models.CharField(max_length=32)
    last_step = models.BigIntegerField()  # of the last accepted code, in 30 seconds of Unix time
    created_at = models.DateTimeField(default=clock.now)
    # From all networks, since the first of the period.
    wrong_codes = models.PositiveIntegerField(default=0, db_default=0)
    wrong_codes_since = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.administrator_id)

    @property
    def recent_wrong_codes(self) -> int:
        since = self.wrong_codes_since
        return self.wrong_codes if since and clock.steady() < since + CODE_PERIOD else 0


class RecoveryCode(models.Model):
    """A recovery code that has not been used, as a digest."""

    administrator = models.ForeignKey(Administrator, models.CASCADE, related_name="recovery_codes", db_index=False)
    digest = models.CharField(max_length=64)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["administrator", "digest"], name="recovery_code_unique")]

    def __str__(self) -> str:
        return self.digest


class AdministratorSession(models.Model):
    """A session of the admin, for the list of its administrator; it is deleted with the session."""

    # Without a constraint, since the last release deletes sessions and does not know this table.
    session = models.OneToOneField(Session, models.CASCADE, db_constraint=False, related_name="+")
    administrator = models.ForeignKey(Administrator, models.CASCADE, related_name="sessions")
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    address = models.CharField(max_length=45, blank=True)
    user_agent = models.CharField(max_length=255, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.administrator_id} {self.began_at}"


class GroupPlace(models.Model):
    """A site, or a channel with all below it, that limits the permissions of a group.

    A group without places applies everywhere. A place outlives its site and channel: the group stays limited.
    """

    group = models.ForeignKey(Group, models.CASCADE, related_name="places")
    # Numbers, since this app knows neither sites nor channels.
    site_id = models.BigIntegerField()
    channel_id = models.BigIntegerField(default=0)  # 0: the whole site

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["group", "site_id", "channel_id"], name="group_place_unique")]

    def __str__(self) -> str:
        return f"{self.site_id}/{self.channel_id}"


class PasswordReset(models.Model):
    """A pending request for an e-mail for setting a new password.

    Stored whether or not the address is known, so that neither the response nor its time reveals that.
    """

    email = models.CharField(max_length=255)  # as typed
    base_url = models.CharField(max_length=500)  # empty; the last release stored the Host of the request
    # Of users: the address on their site's host that the number and the token are added to; empty for administrators.
    member_url = models.CharField(max_length=500, blank=True, default="", db_default="")
    language = models.CharField(max_length=20)
    asked_at = models.DateTimeField(default=clock.now)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.email


class User(Account):
    """A member of the sites, who never signs in to the admin."""

    PASSWORD_DATE = "last_reset_password_date"  # noqa: S105 - the name of a column
    CREATION_DATE = "create_date"

    create_date = models.DateTimeField(_("created"), default=clock.now)
    last_reset_password_date = models.DateTimeField(_("last change of the password"), default=clock.now)
    count_of_writing = models.PositiveBigIntegerField(_("contributions"), default=0)
    is_checked = models.BooleanField(_("approved"), default=True)
    avatar_url = models.CharField(_("picture"), max_length=2000, blank=True)  # an address set by a client
    # The uploaded picture, by its name in the media storage; takes precedence over avatar_url.
    avatar_file = models.CharField(max_length=100, blank=True, db_default="", editable=False)
    organization = models.CharField(_("organisation"), max_length=255, blank=True)
    department = models.CharField(_("department"), max_length=255, blank=True)
    position = models.CharField(_("position"), max_length=255, blank=True)
    gender = models.CharField(_("gender"), max_length=50, blank=True)
    birthday = models.CharField(_("birthday"), max_length=50, blank=True)
    education = models.CharField(_("education"), max_length=255, blank=True)
    graduation = models.CharField(_("graduated from"), max_length=255, blank=True)
    address = models.CharField(_("address"), max_length=255, blank=True)
    wei_xin = models.CharField(_("WeChat"), max_length=255, blank=True)
    qq = models.CharField(_("QQ"), max_length=50, blank=True)
    wei_bo = models.CharField(_("Weibo"), max_length=255, blank=True)
    interests = models.CharField(_("interests"), max_length=255, blank=True)
    signature = models.CharField(_("signature"), max_length=255, blank=True)

    objects = AccountQuerySet.as_manager()

    class Meta(Account.Meta):
        verbose_name = _("user")
        verbose_name_plural = _("users")
        # Users waiting for approval, usually few.
        indexes = [
            *Account.Meta.indexes,
            models.Index(fields=["id"], condition=models.Q(is_checked=False), name="user_unchecked"),
            # For beginnings; most users have no display name.
            models.Index(
                fields=["folded_display_name"],
                condition=_is_given("display_name"),
                opclasses=["text_pattern_ops"],
                name="user_folded_display_name",
            ),
        ]
        permissions = [
            ("approve_user", "Can approve user"),
            ("lock_user", "Can lock and unlock user"),
            ("reset_user", "Can give user another password"),
            ("export_user", "Can export users"),
        ]

    @property
    def may_sign_in(self) -> bool:
        return self.is_checked and not self.is_locked_out


class UserLog(models.Model):
    """An entry about a sign-in, a password change or a client's note; it outlives its user."""

    user = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="logs", db_index=False, verbose_name=_("user")
    )
    user_name = models.CharField(pgettext_lazy("of a person", "name"), max_length=255)
    ip_address = models.CharField(_("address"), max_length=45, blank=True)
    add_date = models.DateTimeField(_("time"), default=clock.now)
    action = models.CharField(_("action"), max_length=255, blank=True)
    summary = models.TextField(_("details"), blank=True)

    class Meta:
        verbose_name = _("entry of the user log")
        verbose_name_plural = _("user log")
        indexes = [models.Index(fields=["user", "id"], name="user_log_newest")]

    def __str__(self) -> str:
        return f"{self.user_name}: {self.action}"


class EndedToken(models.Model):
    """An access token whose owner has signed out before it expired."""

    nonce = models.CharField(max_length=22, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.nonce


class KnownAddress(models.Model):
    """A network with a sign-in of an account, as a keyed digest of both."""

    digest = models.CharField(max_length=64, primary_key=True)
    seen_at = models.DateTimeField(db_index=True)  # the last sign-in

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.digest


class PepperDigest(models.Model):
    """A slow, salted digest of a pepper, to detect a different pepper with the same id (accounts.peppers)."""

    pepper_id = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=255)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.pepper_id
