"""Administrators, who sign in to the back end, and users, the members of the sites."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact
from django.utils.crypto import get_random_string, salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.hashers import md5_form, verify_md5
from accounts.prefix_lookup import begins
from accounts.validators import why_weak
from cms_api import audit
from cms_api.lib import clock

# What an administrator's name must be, so that it is easy to tell from any other.
NAME_RULE = "a text that is not blank, without blanks around it and without control characters"


def is_clear_name(text: str) -> bool:
    """Whether the text is as NAME_RULE says."""
    return bool(text) and text == text.strip() and not any(unicodedata.category(letter) == "Cc" for letter in text)


def has_name(text: str) -> Q:
    """Accounts of that name, in any letter case; like the next two, worded so that the unique index is used."""
    return Q(Exact(Lower("user_name"), Lower(Value(text))))


def has_email(text: str) -> Q:
    """Accounts with that e-mail address, in any letter case."""
    return Q(Exact(Lower("email"), Lower(Value(text)))) & ~Q(email="")


def has_mobile(text: str) -> Q:
    """Accounts with that mobile."""
    return Q(mobile=text) & ~Q(mobile="")


@cache
def _unknown_password() -> str:
    # One for all of them in this process: hashing takes 20 ms, and nobody can know which accounts have it.
    return make_password(get_random_string(40))


class AccountQuerySet(models.QuerySet[Any]):
    """Words for choosing accounts; letter case never counts."""

    def named(self, text: str) -> Self:
        """Of that name."""
        return self.filter(has_name(text))

    def with_email(self, text: str) -> Self:
        """With that e-mail address."""
        return self.filter(has_email(text))

    def with_mobile(self, text: str) -> Self:
        """With that mobile."""
        return self.filter(has_mobile(text))

    def displaying(self, text: str) -> Self:
        """With the text in the display name."""
        return self.filter(display_name__icontains=text)

    def beginning(self, text: str) -> Self:
        """With a name, display name, e-mail address or mobile that begins with the text, however many there are."""
        columns = ("user_name", "display_name", "email", "mobile")
        return self.filter(Q(*(begins(column, text) for column in columns), _connector=Q.OR))

    def matching(self, text: str) -> Self:
        """With the text in the name, the display name, the e-mail address or the mobile."""
        columns = ("user_name", "display_name", "email", "mobile")
        return self.filter(Q(*((f"{column}__icontains", text) for column in columns), _connector=Q.OR))


class Account(models.Model):
    """What administrators and users have in common: somebody who signs in by name, e-mail or mobile.

    Names, e-mail addresses and mobiles are unique among the accounts of one kind (interface: Administrator, User).
    """

    # The column that holds when the password last changed.
    PASSWORD_DATE: str
    CREATION_DATE: str  # the one that holds when the account was made
    _has_new_password = False  # which the row has not yet

    user_name = models.CharField(pgettext_lazy("of a person", "name"), max_length=255)
    password = models.CharField(_("password"), max_length=255)  # as accounts.hashers stores it
    # Drawn anew with each password: what answers show in place of a password, and tokens, depend on it.
    password_stamp = models.CharField(max_length=22, blank=True, db_default="", editable=False)
    # Drawn anew while the account may not sign in: tokens and sessions from before end for good.
    token_stamp = models.CharField(max_length=22, blank=True, db_default="", editable=False)
    last_activity_date = models.DateTimeField(_("last activity"), null=True, blank=True)
    count_of_login = models.PositiveBigIntegerField(_("sign-ins"), default=0)
    count_of_failed_login = models.PositiveBigIntegerField(_("failed sign-ins"), default=0)
    is_locked_out = models.BooleanField(_("locked"), default=False)
    # The last time: failed sign-ins are counted under another name from then on (accounts.attempts).
    unlocked_at = models.DateTimeField(null=True, editable=False)
    display_name = models.CharField(_("display name"), max_length=255, blank=True)
    email = models.CharField(_("e-mail address"), max_length=255, blank=True)
    mobile = models.CharField(_("mobile"), max_length=50, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(Lower("user_name"), name="%(class)s_name_unique"),
            models.UniqueConstraint(Lower("email"), condition=~models.Q(email=""), name="%(class)s_email_unique"),
            models.UniqueConstraint(fields=["mobile"], condition=~models.Q(mobile=""), name="%(class)s_mobile_unique"),
            models.CheckConstraint(condition=~models.Q(user_name=""), name="%(class)s_name_given"),
        ]

    def __str__(self) -> str:
        return self.user_name

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        """Store the account; one that may not sign in loses its access tokens and sessions.

        A new password is noted in the audit here, since Django's pages and commands store it themselves.
        """
        if self.end_tokens():
            update_fields = None if update_fields is None else {*update_fields, "token_stamp"}
        is_other_password = self._has_new_password and not self._state.adding
        with transaction.atomic(using=options.get("using")):
            super().save(*args, update_fields=update_fields, **options)
            if is_other_password:
                audit.note(f"{self._meta.model_name}.password_changed", self)
        self._has_new_password = False

    def end_tokens(self) -> bool:
        """Draw another token stamp if the account may not sign in, and tell whether it was drawn; the caller saves."""
        if not self.may_sign_in:
            self.token_stamp = get_random_string(22)
        return not self.may_sign_in

    @property
    def may_sign_in(self) -> bool:
        """Whether nobody has locked the account; failures of sign-in are another matter."""
        return not self.is_locked_out

    @property
    def is_shut_out(self) -> bool:
        """Whether too many wrong passwords in succession stand in the way (original-behaviour §8.5, CMS_LOCKOUT)."""
        if settings.CMS_LOCKOUT == "off" or self.count_of_failed_login < settings.CMS_LOCKOUT_FAILURES:
            return False
        last = self.last_activity_date
        ends = last and last + timedelta(hours=settings.CMS_LOCKOUT_HOURS)
        return settings.CMS_LOCKOUT == "forever" or (ends is not None and clock.now() < ends)

    @property
    def last_activity(self) -> datetime | None:
        """When somebody last signed in or failed to; None if nobody ever did.

        The column of a new account holds when it was made, as clients expect.
        """
        moment = self.last_activity_date
        return None if moment == getattr(self, self.CREATION_DATE) else moment

    def set_password(self, raw_password: str | None) -> None:
        """Take a plain password, of which only a hash is kept; the caller saves."""
        self.password = make_password(raw_password)
        self.password_stamp = get_random_string(22)
        self._has_new_password = True
        setattr(self, self.PASSWORD_DATE, clock.now())

    def set_unknown_password(self) -> None:
        """Take a password that nobody knows; the caller saves. Sign-ins fail, in the time that any failure takes."""
        self.password, self.password_stamp = _unknown_password(), get_random_string(22)
        setattr(self, self.PASSWORD_DATE, clock.now())

    def check_password(self, raw_password: str | None) -> bool:
        """Whether this is the plain password; nothing is counted."""
        return raw_password is not None and verify_md5(md5_form(raw_password), self.password)


class AdministratorQuerySet(AccountQuerySet):
    """Words for choosing administrators."""

    def displaying(self, text: str) -> Self:
        """With the text in the display name, for which the name stands where it is empty."""
        return self.filter(Q(display_name__icontains=text) | Q(display_name="", user_name__icontains=text))

    def of_highest_rank(self) -> Self:
        """Of the highest rank, and able to sign in."""
        return self.filter(is_superuser=True, is_locked_out=False)


def present_creator() -> str:
    """The administrator who acts now, in person or by a key; a command is run by an account of the system instead."""
    actor = audit.current_actor()
    return "" if actor.kind == "command" else actor.name


class AdministratorManager(BaseUserManager["Administrator"]):
    """Makes administrators; `createsuperuser` makes one of the highest rank."""

    def get_queryset(self) -> AdministratorQuerySet:
        return AdministratorQuerySet(self.model, using=self._db)

    def create_user(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        """An administrator with an ordinary rank.

        Raises ValidationError for a name that cannot be used to sign in, and for a weak password. The password is
        checked here because Django's `createsuperuser --no-input` does not check it.
        """
        self._refuse_name(user_name)
        fields.setdefault("creator_user_name", present_creator())
        administrator = self.model(user_name=user_name, **fields)
        if password is not None and (problem := why_weak(administrator, password)):
            raise ValidationError(problem, code="password_too_weak")
        administrator.set_password(password)
        with transaction.atomic(using=self._db):
            administrator.save(using=self._db)
            audit.note("administrator.created", administrator)
        return administrator

    def create_superuser(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        """An administrator of the highest rank."""
        return self.create_user(user_name, password, is_superuser=True, **fields)

    def get_by_natural_key(self, user_name: str | None) -> "Administrator":
        """The administrator with the name, whatever its letter case."""
        return self.get(user_name__iexact=user_name)

    def first_of_highest_rank(self) -> "Administrator | None":
        """The longest-standing administrator of the highest rank who may sign in."""
        return self.get_queryset().of_highest_rank().order_by("id").first()

    def _refuse_name(self, name: str) -> None:
        if not is_clear_name(name):
            raise ValidationError(f"The name must be {NAME_RULE}.", code="name_invalid")
        # At sign-in a name hides the e-mail address or mobile of another (accounts.uniqueness).
        if self.get_queryset().filter(has_name(name) | has_email(name) | has_mobile(name)).exists():
            message = "The name is taken: another administrator has it as name, e-mail address or mobile."
            raise ValidationError(message, code="name_taken")


class Administrator(Account, AbstractBaseUser, PermissionsMixin):
    """Somebody who looks after the system or some of its sites (interface: Administrator).

    `is_superuser` is the highest rank. Others reach the sites in `site_id_collection`, and what
    their groups allow.
    """

    PASSWORD_DATE = "last_change_password_date"  # noqa: S105 - the name of a column
    CREATION_DATE = "creation_date"

    # Django wants the name of who signs in to be unique by itself, not only whatever its letter case.
    user_name = models.CharField(pgettext_lazy("of a person", "name"), max_length=255, unique=True)
    creation_date = models.DateTimeField(_("created"), default=clock.now)
    last_change_password_date = models.DateTimeField(_("last change of the password"), default=clock.now)
    creator_user_name = models.CharField(_("created by"), max_length=255, blank=True)
    site_id_collection = models.TextField(_("sites"), blank=True)
    site_id = models.BigIntegerField(_("site last used"), default=0)
    department_id = models.BigIntegerField(_("department"), default=0)
    area_id = models.BigIntegerField(_("area"), default=0)

    objects = AdministratorManager()
    USERNAME_FIELD = "user_name"
    EMAIL_FIELD = "email"

    class Meta(Account.Meta):
        verbose_name = _("administrator")
        verbose_name_plural = _("administrators")

    @property
    def is_active(self) -> bool:  # type: ignore[override]
        """Whether the administrator may sign in."""
        return not self.is_locked_out

    @property
    def is_staff(self) -> bool:
        """Every administrator may enter the back end; what is there to see follows the rank."""
        return True

    @property
    def reachable_site_ids(self) -> frozenset[int]:
        """The sites that an administrator below the highest rank looks after."""
        return frozenset(int(part) for part in self.site_id_collection.split(",") if part.strip().isdecimal())

    def look_after(self, site_id: int) -> None:
        """Add a site to those that the administrator looks after, in the transaction that makes it."""
        found = Administrator.objects.get_queryset().select_for_update().get(pk=self.pk)
        if found.is_superuser or site_id in found.reachable_site_ids:
            return
        found.site_id_collection = ",".join(map(str, sorted({*found.reachable_site_ids, site_id})))
        found.save(update_fields=["site_id_collection"])
        audit.note("administrator.changed", found, changed=["siteIdCollection"])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        # Django takes the stored password, which also changes when it is only hashed anew (accounts.sign_in).
        return salted_hmac(
            "accounts.sessions", f"{self.password_stamp} {self.token_stamp}", secret, algorithm="sha256"
        ).hexdigest()

    def get_full_name(self) -> str:
        """The display name, or the user name where there is none."""
        return self.display_name or self.user_name


class User(Account):
    """A member of the sites, who never signs in to the back end (interface: User)."""

    PASSWORD_DATE = "last_reset_password_date"  # noqa: S105 - the name of a column
    CREATION_DATE = "create_date"

    create_date = models.DateTimeField(_("created"), default=clock.now)
    last_reset_password_date = models.DateTimeField(_("last change of the password"), default=clock.now)
    count_of_writing = models.PositiveBigIntegerField(_("contributions"), default=0)
    is_checked = models.BooleanField(_("approved"), default=True)
    avatar_url = models.CharField(_("picture"), max_length=2000, blank=True)  # an address that a client has set
    # The uploaded picture, by its name in the media storage; it comes before avatar_url.
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
        # Who waits to be checked: few of many.
        indexes = [models.Index(fields=["id"], condition=models.Q(is_checked=False), name="user_unchecked")]
        permissions = [
            ("approve_user", "Can approve user"),
            ("lock_user", "Can lock and unlock user"),
            ("reset_user", "Can give user another password"),
            ("export_user", "Can export users"),
        ]

    @property
    def may_sign_in(self) -> bool:
        """Whether the user is approved and nobody has locked the account."""
        return self.is_checked and not self.is_locked_out


class UserLog(models.Model):
    """What a user did: sign-ins, changes of the password, and what clients note (original-behaviour A.29).

    Entries outlive their user.
    """

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
    """A network from which an account has signed in, as a keyed digest of both."""

    digest = models.CharField(max_length=64, primary_key=True)
    seen_at = models.DateTimeField(db_index=True)  # the last sign-in

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.digest


class PepperDigest(models.Model):
    """A slow, salted digest of a pepper, by which another one of the same id is noticed (accounts.peppers)."""

    pepper_id = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=255)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.pepper_id
