"""Forms of sites: their fields, and the entries that visitors send."""

from typing import Any
from uuid import uuid4

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.lib import clock
from forms.rules import RULE_TYPES
from sites.models import Site

MAX_FIELDS = 50  # of a form
MAX_CHARACTERS = 10_000  # of a value
MAX_CHOICES = 200


class Form(models.Model):
    """A form that pages of a site show by its name (`stl:input`)."""

    class Guard(models.TextChoices):
        OFF = "off", pgettext_lazy("protection from spam", "Off")
        BASIC = "basic", pgettext_lazy("protection from spam", "Basic")
        PROOF = "proof", pgettext_lazy("protection from spam", "Proof of work")
        CAPTCHA = "captcha", pgettext_lazy("protection from spam", "Captcha")

    class PublicList(models.TextChoices):
        """Entries that everybody may read, with the fields that are listed."""

        NONE = "none", pgettext_lazy("public list of a form", "None")
        APPROVED = "approved", pgettext_lazy("public list of a form", "Approved entries")
        REPLIED = "replied", pgettext_lazy("public list of a form", "Entries with a reply")

    class Origin(models.TextChoices):
        """The product whose form this was; hand-written pages name forms by its number there."""

        OWN = "", _("this service")
        INPUT = "input", "SiteServer 5 (stl:input)"
        PLUGIN = "ss.form", "SiteServer 6 (SS.Form)"
        FORM = "form", "SiteServer 7 (stl:form)"

    site = models.ForeignKey(Site, models.CASCADE, related_name="forms", verbose_name=_("site"))
    name = models.CharField(_("name"), max_length=100, help_text=_("Templates show the form by this name."))
    folded_name = models.CharField(max_length=300, editable=False)  # casefolded
    title = models.CharField(_("title"), max_length=255, blank=True)
    description = models.TextField(_("description"), blank=True)
    taxis = models.PositiveIntegerField(_("order"), default=0)
    is_open = models.BooleanField(pgettext_lazy("state of a form", "open"), default=True)
    opens_at = models.DateTimeField(_("opens"), null=True, blank=True)
    closes_at = models.DateTimeField(_("closes"), null=True, blank=True)
    guard = models.CharField(_("protection from spam"), max_length=20, choices=Guard, default=Guard.BASIC)
    blocked_words = models.TextField(
        _("words of spam"),
        blank=True,
        max_length=MAX_CHARACTERS,
        help_text=_("One per line. An entry with one of them is spam."),
    )
    # Empty: no consent is asked for.
    consent_text = models.TextField(pgettext_lazy("of a form", "consent"), blank=True, max_length=2_000)
    public_list = models.CharField(_("public list"), max_length=20, choices=PublicList, default=PublicList.NONE)
    page_size = models.PositiveSmallIntegerField(_("entries on a page"), default=30)
    confirmation_subject = models.CharField(_("subject of the confirmation"), max_length=200, blank=True)
    # Empty: no confirmation is sent.
    confirmation_text = models.TextField(_("text of the confirmation"), blank=True, max_length=MAX_CHARACTERS)
    confirmation_has_values = models.BooleanField(_("values in the confirmation"), default=False)
    # Empty: a sentence in the visitor's language.
    success_text = models.TextField(_("text after sending"), blank=True, max_length=MAX_CHARACTERS)
    keep_days = models.PositiveIntegerField(
        _("days to keep entries"), null=True, blank=True, help_text=_("Older entries are deleted. Empty: keep them.")
    )
    # The branch of the form (forms.rights); a plain number, which stays when the channel is permanently deleted:
    # otherwise more people would see the entries.
    channel_id = models.BigIntegerField(null=True, editable=False)
    # Only members of the groups see the form; a deleted group leaves it limited.
    is_limited = models.BooleanField(default=False, editable=False)
    groups = models.ManyToManyField(Group, related_name="+", editable=False)
    origin = models.CharField(max_length=20, choices=Origin, blank=True, default=Origin.OWN, editable=False)
    origin_id = models.BigIntegerField(null=True, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("form")
        verbose_name_plural = _("forms")
        constraints = [
            models.UniqueConstraint(
                fields=["site", "folded_name"],
                name="form_name_unique",
                violation_error_message=_("The site already has a form with this name."),
            ),
            models.UniqueConstraint(fields=["site", "origin", "origin_id"], name="form_origin_unique"),
            models.CheckConstraint(condition=~models.Q(folded_name=""), name="form_name_given"),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **options: Any) -> None:
        self.folded_name = self.name.casefold()
        super().save(*args, **options)

    def clean(self) -> None:
        self.name = self.name.strip()
        self.folded_name = self.name.casefold()
        if self.opens_at and self.closes_at and self.opens_at >= self.closes_at:
            raise ValidationError({"closes_at": _("The form must close after it opens.")})

    @property
    def takes_entries(self) -> bool:
        now = clock.steady()
        return (
            self.is_open
            and (self.opens_at is None or self.opens_at <= now)
            and (self.closes_at is None or now < self.closes_at)
        )


class Field(models.Model):
    """An input of a form. Entries hold values by its id, so a field that is renamed keeps them."""

    class Kind(models.TextChoices):
        TEXT = "text", pgettext_lazy("kind of input", "One line of text")
        TEXT_AREA = "textarea", pgettext_lazy("kind of input", "Several lines of text")
        NUMBER = "number", pgettext_lazy("kind of input", "Number")
        EMAIL = "email", pgettext_lazy("kind of input", "Email address")
        PHONE = "tel", pgettext_lazy("kind of input", "Phone number")
        DATE = "date", pgettext_lazy("kind of input", "Date")
        DATE_TIME = "datetime", pgettext_lazy("kind of input", "Date and time")
        CHECKBOXES = "checkbox", pgettext_lazy("kind of input", "Several of the choices")
        RADIO = "radio", pgettext_lazy("kind of input", "One of the choices, all shown")
        SELECT = "select", pgettext_lazy("kind of input", "One of the choices, in a menu")
        HIDDEN = "hidden", pgettext_lazy("kind of input", "Hidden")
        FILE = "file", pgettext_lazy("kind of input", "File")
        IMAGE = "image", pgettext_lazy("kind of input", "Picture")

    form = models.ForeignKey(Form, models.CASCADE, related_name="fields", verbose_name=_("form"))
    key = models.CharField(_("name in templates"), max_length=100)
    folded_key = models.CharField(max_length=300, editable=False)  # casefolded
    label = models.CharField(_("label"), max_length=255)
    help_text = models.CharField(_("help"), max_length=500, blank=True)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind, default=Kind.TEXT)
    is_required = models.BooleanField(_("required"), default=False)
    # Objects with `type` (forms.rules.RULE_TYPES), and where they apply `value` and `message`, all texts.
    rules = models.JSONField(default=list, blank=True, editable=False)
    choices = models.JSONField(default=list, blank=True, editable=False)  # texts
    default = models.CharField(_("default"), max_length=500, blank=True)
    taxis = models.PositiveIntegerField(_("order"), default=0)
    is_visible = models.BooleanField(_("shown"), default=True)
    is_listed = models.BooleanField(_("in the public list"), default=False)
    # Mails leave out its values.
    is_sensitive = models.BooleanField(_("sensitive"), default=False)
    gets_confirmation = models.BooleanField(_("gets the confirmation"), default=False)

    class Meta:
        verbose_name = _("field")
        verbose_name_plural = _("fields")
        default_permissions = ()
        ordering = ["taxis", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["form", "folded_key"],
                name="form_field_key_unique",
                violation_error_message=_("The form already has a field with this name."),
            ),
            models.CheckConstraint(condition=~models.Q(folded_key=""), name="form_field_key_given"),
        ]

    def __str__(self) -> str:
        return self.label or self.key

    def save(self, *args: Any, **options: Any) -> None:
        self.folded_key = self.key.casefold()
        super().save(*args, **options)

    @property
    def is_public(self) -> bool:
        """Return true if the public list shows the field."""
        return self.is_listed and self.is_visible and not self.is_sensitive and self.kind not in UNLISTED_KINDS

    def clean(self) -> None:
        if self.kind in CHOICE_KINDS and not self.choices:
            raise ValidationError(_("List the choices of this field."))
        if self.is_listed and (self.is_sensitive or self.kind in UNLISTED_KINDS):
            raise ValidationError({"is_listed": _("Files and sensitive fields cannot be in the public list.")})
        unknown = {rule["type"] for rule in self.rules} - RULE_TYPES.keys()
        if unknown:
            raise ValidationError(f"These rules do not exist: {', '.join(sorted(unknown))}.")
        if self.gets_confirmation and self.kind != self.Kind.EMAIL:
            raise ValidationError({"gets_confirmation": _("Only an email address gets the confirmation.")})


CHOICE_KINDS = frozenset({Field.Kind.CHECKBOXES, Field.Kind.RADIO, Field.Kind.SELECT})
UNLISTED_KINDS = frozenset({Field.Kind.FILE, Field.Kind.IMAGE})  # which no public list shows


class Entry(models.Model):
    """A form that a visitor has filled in and sent, without the visitor's network address."""

    class State(models.TextChoices):
        NEW = "new", pgettext_lazy("state of an entry", "New")
        READ = "read", pgettext_lazy("state of an entry", "Read")
        APPROVED = "approved", pgettext_lazy("state of an entry", "Approved")
        SPAM = "spam", pgettext_lazy("state of an entry", "Spam")

    class Source(models.TextChoices):
        PAGE = "page", pgettext_lazy("source of an entry", "Page")
        API = "api", pgettext_lazy("source of an entry", "API")
        IMPORT = "import", pgettext_lazy("source of an entry", "Import")

    form = models.ForeignKey(Form, models.CASCADE, related_name="entries", verbose_name=_("form"))
    token = models.UUIDField(default=uuid4, unique=True, editable=False)  # the number that its sender knows
    created_at = models.DateTimeField(_("sent"), default=clock.now)
    state = models.CharField(_("state"), max_length=20, choices=State, default=State.NEW)
    # Id of the field as a text → text, or texts of checkboxes.
    values = models.JSONField(_("values"), default=dict)
    spam_at = models.DateTimeField(null=True, editable=False)  # when it became spam
    # Of the values and the network that sent them, for some minutes (forms.receiving).
    digest = models.CharField(max_length=32, blank=True, editable=False)
    page = models.CharField(_("page"), max_length=500, blank=True)  # path
    # What the page was about, as far as its sender said; they may be deleted since.
    channel_id = models.BigIntegerField(null=True, editable=False)
    content_id = models.BigIntegerField(null=True, editable=False)
    # The text that its sender agreed to.
    consent = models.TextField(pgettext_lazy("of a form", "consent"), blank=True, editable=False)
    source = models.CharField(max_length=20, choices=Source, default=Source.PAGE)
    reply = models.TextField(_("reply"), blank=True, max_length=MAX_CHARACTERS)
    replied_at = models.DateTimeField(_("replied"), null=True, blank=True)
    replied_by = models.CharField(_("replied by"), max_length=255, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("of a form", "entry")
        verbose_name_plural = pgettext_lazy("of a form", "entries")
        default_permissions = ("view", "change", "delete", "export")
        indexes = [
            models.Index("form", "state", models.F("created_at").desc(), name="form_entry_by_state"),
            models.Index("form", "created_at", name="form_entry_by_time"),
            models.Index("form", "created_at", name="form_entry_replied", condition=~models.Q(reply="")),
            models.Index("spam_at", name="form_entry_spam", condition=models.Q(spam_at__isnull=False)),
            models.Index("created_at", name="form_entry_with_digest", condition=~models.Q(digest="")),
        ]

    def __str__(self) -> str:
        return f"{self.form_id}: {self.token}"


class EntryFile(models.Model):
    """A file that a visitor has sent; it lies in private storage. Without an entry, its form is not sent yet."""

    form = models.ForeignKey(Form, models.CASCADE, related_name="files", verbose_name=_("form"))
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="files", null=True, verbose_name=_("entry"))
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    field_id = models.BigIntegerField(editable=False)
    name = models.CharField(_("name"), max_length=255)  # as the visitor called it
    path = models.CharField(max_length=200, editable=False)  # in the storage
    media_type = models.CharField(max_length=100, editable=False)
    size = models.PositiveBigIntegerField(editable=False)  # bytes
    digest = models.CharField(max_length=64, editable=False)  # SHA-256
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("of an entry", "file")
        verbose_name_plural = pgettext_lazy("of an entry", "files")
        default_permissions = ()
        indexes = [
            models.Index("created_at", name="form_file_waiting", condition=models.Q(entry__isnull=True)),
        ]

    def __str__(self) -> str:
        return self.name
