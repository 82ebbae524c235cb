"""Administrators, who sign in to the back end, and users, the members of the sites."""

from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower

from cms_api.lib import clock


class AdministratorManager(BaseUserManager["Administrator"]):
    """Makes administrators; `createsuperuser` makes one of the highest rank."""

    def create_user(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        """An administrator with an ordinary rank."""
        administrator = self.model(user_name=user_name, **fields)
        administrator.set_password(password)
        administrator.save(using=self._db)
        return administrator

    def create_superuser(self, user_name: str, password: str | None = None, **fields: Any) -> "Administrator":
        """An administrator of the highest rank."""
        return self.create_user(user_name, password, is_superuser=True, **fields)

    def get_by_natural_key(self, user_name: str | None) -> "Administrator":
        """The administrator with the name, whatever its letter case."""
        return self.get(user_name__iexact=user_name)

    def first_of_highest_rank(self) -> "Administrator | None":
        """The longest-standing administrator of the highest rank who may sign in."""
        return self.filter(is_superuser=True, is_locked_out=False).order_by("id").first()


class Administrator(AbstractBaseUser, PermissionsMixin):
    """Somebody who looks after the system or some of its sites (interface: Administrator).

    `is_superuser` is the highest rank. Others reach the sites in `site_id_collection`, and what
    their groups allow.
    """

    user_name = models.CharField(max_length=255, unique=True)
    creation_date = models.DateTimeField(default=clock.now)
    last_activity_date = models.DateTimeField(null=True, blank=True)
    last_change_password_date = models.DateTimeField(default=clock.now)
    count_of_login = models.PositiveBigIntegerField(default=0)
    count_of_failed_login = models.PositiveBigIntegerField(default=0)
    creator_user_name = models.CharField(max_length=255, blank=True)
    is_locked_out = models.BooleanField(default=False)
    site_id_collection = models.TextField(blank=True)
    site_id = models.BigIntegerField(default=0)
    department_id = models.BigIntegerField(default=0)
    area_id = models.BigIntegerField(default=0)
    display_name = models.CharField(max_length=255, blank=True)
    email = models.CharField(max_length=255, blank=True)
    mobile = models.CharField(max_length=50, blank=True)

    objects = AdministratorManager()
    USERNAME_FIELD = "user_name"
    EMAIL_FIELD = "email"

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("user_name"), name="administrator_user_name_unique"),
            models.UniqueConstraint(Lower("email"), condition=~models.Q(email=""), name="administrator_email_unique"),
            models.UniqueConstraint(
                fields=["mobile"], condition=~models.Q(mobile=""), name="administrator_mobile_unique"
            ),
            models.CheckConstraint(condition=~models.Q(user_name=""), name="administrator_name_given"),
        ]

    def __str__(self) -> str:
        return self.user_name

    @property
    def is_active(self) -> bool:  # type: ignore[override]
        """Whether the administrator may sign in."""
        return not self.is_locked_out

    @property
    def is_staff(self) -> bool:
        """Every administrator may enter the back end; what is there to see follows the rank."""
        return True

    def set_password(self, raw_password: str | None) -> None:
        """Take a plain password; the date is part of what API answers show in its place."""
        super().set_password(raw_password)
        self.last_change_password_date = clock.now()

    def get_full_name(self) -> str:
        """The display name, or the user name where there is none."""
        return self.display_name or self.user_name


class User(models.Model):
    """A member of the sites, who never signs in to the back end (interface: User)."""

    user_name = models.CharField(max_length=255)
    password = models.CharField(max_length=255)  # as accounts.hashers stores it
    create_date = models.DateTimeField(default=clock.now)
    last_reset_password_date = models.DateTimeField(default=clock.now)
    last_activity_date = models.DateTimeField(null=True, blank=True)
    count_of_login = models.PositiveBigIntegerField(default=0)
    count_of_failed_login = models.PositiveBigIntegerField(default=0)
    count_of_writing = models.PositiveBigIntegerField(default=0)
    is_checked = models.BooleanField(default=True)
    is_locked_out = models.BooleanField(default=False)
    display_name = models.CharField(max_length=255, blank=True)
    email = models.CharField(max_length=255, blank=True)
    mobile = models.CharField(max_length=50, blank=True)
    avatar_url = models.CharField(max_length=2000, blank=True)
    organization = models.CharField(max_length=255, blank=True)
    department = models.CharField(max_length=255, blank=True)
    position = models.CharField(max_length=255, blank=True)
    gender = models.CharField(max_length=50, blank=True)
    birthday = models.CharField(max_length=50, blank=True)
    education = models.CharField(max_length=255, blank=True)
    graduation = models.CharField(max_length=255, blank=True)
    address = models.CharField(max_length=255, blank=True)
    wei_xin = models.CharField(max_length=255, blank=True)
    qq = models.CharField(max_length=50, blank=True)
    wei_bo = models.CharField(max_length=255, blank=True)
    interests = models.CharField(max_length=255, blank=True)
    signature = models.CharField(max_length=255, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("user_name"), name="user_name_unique"),
            models.UniqueConstraint(Lower("email"), condition=~models.Q(email=""), name="user_email_unique"),
            models.UniqueConstraint(fields=["mobile"], condition=~models.Q(mobile=""), name="user_mobile_unique"),
            models.CheckConstraint(condition=~models.Q(user_name=""), name="user_name_given"),
        ]

    def __str__(self) -> str:
        return self.user_name

    def set_password(self, raw_password: str) -> None:
        """Take a plain password; only a hash of it is kept."""
        self.password = make_password(raw_password)
        self.last_reset_password_date = clock.now()

    def check_password(self, raw_password: str) -> bool:
        """Whether this is the plain password."""
        return check_password(raw_password, self.password)
