from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from core.lib.errors import InvalidInput, NotFound
from core.lib.settings_field import SettingsField
from sites.addresses import hold_addresses, is_folder, is_reserved
from sites.attributes import validate_settings

MAX_WEB_URL = 2000


class SiteManager(models.Manager["Site"]):
    """The sites outside the trash: for everything else, the others do not exist. Or those in the trash."""

    def __init__(self, *, in_trash: bool = False) -> None:
        super().__init__()
        self._in_trash = in_trash

    def get_queryset(self) -> models.QuerySet["Site"]:
        return super().get_queryset().filter(trashed_at__isnull=not self._in_trash)


class Site(models.Model):
    """One website. Its id is the id of its home channel, so `channelId = siteId` is that channel."""

    id = models.BigIntegerField(_("ID"), primary_key=True)
    site_name = models.CharField(_("name"), max_length=255)
    site_dir = models.CharField(_("folder"), max_length=255, blank=True)
    table_name = models.CharField(_("table of contents"), max_length=50, blank=True)
    is_root = models.BooleanField(_("root site"), default=False)
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="children", verbose_name=_("below")
    )
    taxis = models.BigIntegerField(_("order"), default=0)
    # Members of `attributes` that differ from their default, and custom settings.
    settings = SettingsField(_("settings"), default=dict, blank=True)
    # Computed by save() from folder and settings; stored so that lists need not read the settings.
    web_url = models.CharField(_("web address"), max_length=MAX_WEB_URL, editable=False)
    # Its channels and contents are trashed with it (contents.services.site_trash).
    trashed_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)
    # From then on it cannot be restored, since some of its records may no longer exist.
    purge_began_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[SiteManager] = SiteManager()
    with_trash: ClassVar[models.Manager["Site"]] = models.Manager()

    class Meta:
        verbose_name = _("site")
        verbose_name_plural = _("sites")
        constraints = [
            # Sites in the trash occupy no folder. No partial index, by which engines would read all sites in its order.
            models.UniqueConstraint(
                Lower("site_dir"),
                models.Case(
                    models.When(trashed_at=None, then=models.Value(0)),
                    default=models.F("id"),
                    output_field=models.BigIntegerField(),
                ),
                name="site_dir_unique",
            ),
            models.UniqueConstraint(fields=["is_root"], condition=models.Q(is_root=True), name="site_one_root"),
            models.CheckConstraint(condition=models.Q(is_root=True) | ~models.Q(site_dir=""), name="site_dir_given"),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="site_not_own_parent"),
        ]

    def __str__(self) -> str:
        return self.site_name

    @transaction.atomic
    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Store the site, its address, and the addresses of the sites below it. Raises ValidationError for a cycle."""
        # Addresses depend on other sites, so saves of sites are serialized.
        parents = hold_site_and_below(self.pk)
        above, seen = self.parent_id, {self.pk}
        while above is not None:
            if above in seen:
                raise ValidationError({"parent": "A site cannot be below itself."})
            seen.add(above)
            above = parents.get(above)
        if self.parent_id is not None:
            # The stored parent, which may have changed.
            self.parent = Site.with_trash.get(pk=self.parent_id)
            if self.parent.trashed_at is not None and self.trashed_at is None:
                raise ValidationError({"parent": f"There is no site {self.parent_id}."})
        self.web_url = self.compute_web_url()
        fields = None if update_fields is None else {*update_fields, "web_url"}
        super().save(*args, update_fields=fields, **kwargs)
        for site in Site.objects.filter(parent=self.pk):
            site.save(update_fields=[])

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Raise ValidationError for invalid columns or members of the settings."""
        errors: dict[str, Any] = {}
        try:
            super().clean_fields(exclude)
        except ValidationError as error:
            errors = error.update_error_dict(errors)
        # Not in clean(), which must not name fields that a form omits.
        if "settings" not in (exclude or ()):
            try:
                validate_settings(self.settings)
            except ValidationError as error:
                errors["settings"] = error.error_list
        if errors:
            raise ValidationError(errors)

    def clean(self) -> None:
        """Raise ValidationError for an impossible folder or parent."""
        problems = {"site_dir": [self._folder_problem()], "parent": [self._parent_problem()]}
        # Addresses of sites in a cycle have no end.
        if not problems["parent"][0] and (length := self._longest_web_url()) > MAX_WEB_URL:
            reason = f"A URL of the site or of one below it would have {length} characters; at most {MAX_WEB_URL}"
            problems["site_dir"].append(f"{reason} are allowed.")
        if found := {name: list(filter(None, told)) for name, told in problems.items() if any(told)}:
            raise ValidationError(found)

    def _folder_problem(self) -> str:
        if not self.site_dir:
            return "" if self.is_root else "Enter a folder; only the root site needs none."
        if not is_folder(self.site_dir):
            return f'"{self.site_dir}" cannot be the folder of a site: a folder must be a single part of a URL.'
        if self.parent_id is None and is_reserved(self.site_dir):
            stands_there = Site.objects.filter(pk=self.pk, site_dir=self.site_dir, parent=None).exists()
            if not stands_there:
                return f'The folder "{self.site_dir}" is reserved for the service; choose another one.'
        owner = find_folder_owner(self.site_dir, but=self.pk)
        return f'The folder "{self.site_dir}" belongs to site {owner}.' if owner else ""

    def _parent_problem(self) -> str:
        parents = dict(Site.objects.values_list("pk", "parent_id"))
        above = self.parent_id
        if above is None:
            return ""
        if self.is_root:
            return "The root site cannot have a parent."
        # A cycle among other sites is not this site's problem, but must not trap the loop.
        seen: set[int] = set()
        while above is not None and above not in seen:
            if above == self.pk:
                return "A site cannot be below itself."
            if above not in parents:
                return f"There is no site {above}."
            seen.add(above)
            above = parents[above]
        return ""

    def _longest_web_url(self) -> int:
        below = self.children.all() if self.pk else ()
        return max([len(self.compute_web_url()), *(site._longest_web_url() for site in below)])

    @property
    def has_website(self) -> bool:
        """Return true if visitors can see pages: on a host of their own, or made by the service from templates."""
        return "//" in self.web_url or self.has_pages

    @cached_property
    def has_pages(self) -> bool:
        """Return true if the service makes the pages of the site."""
        return self.templates.exists()

    def compute_web_url(self) -> str:
        """Return "" for the root site, "/dir" for others, or the site's own host; never with a slash at the end."""
        if self.settings.get("isSeparatedWeb") is True:
            return str(self.settings.get("separatedWebUrl", "")).rstrip("/")
        if self.is_root:
            return ""
        above = self.parent.compute_web_url() if self.parent else ""
        return f"{above}/{self.site_dir}"


def hold_site_and_below(site_id: int | None) -> dict[int, int | None]:
    """Lock all that the site's address depends on or affects; return all sites, each with its parent.

    To prevent deadlocks, the lock of addresses precedes rows, and rows are locked by number (see also
    `channels_app.services.lock_tree`). No key changes, so writers of contents need not wait.
    """
    hold_addresses()
    parents: dict[int, int | None] = dict(Site.with_trash.values_list("pk", "parent_id"))
    if site_id is not None:
        below = defaultdict(list)
        for pk, above in parents.items():
            below[above].append(pk)
        numbers, ahead = {site_id}, [site_id]
        while ahead:
            new = [pk for pk in below[ahead.pop()] if pk not in numbers]
            numbers.update(new)
            ahead += new
        list(Site.with_trash.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk").values_list("pk"))
    return parents


def find_folder_owner(site_dir: str, but: int | None = None) -> int | None:
    """Return the id of another site than `but` with the folder, in any letter case (SQLite folds only ASCII)."""
    folded = site_dir.casefold()
    folders = Site.objects.values_list("pk", "site_dir")
    return next((pk for pk, folder in folders if pk != but and folder.casefold() == folded), None)


def require_site(site_id: int, member: str = "") -> None:
    """Raises as `site_not_found` says unless the site exists."""
    if not Site.objects.filter(pk=site_id).exists():
        raise site_not_found(site_id, member)


def site_not_found(site_id: int, member: str = "") -> InvalidInput | NotFound:
    """Return the error: 404 for the site of the path, 400 for one that `member` of the body or query names."""
    message = f"Site {site_id} was not found."
    return InvalidInput("site_not_found", message, member=member) if member else NotFound("site_not_found", message)


class TrashedSite(Site):
    """A site in the trash; a proxy with its own admin page."""

    objects: ClassVar[SiteManager] = SiteManager(in_trash=True)

    class Meta:
        proxy = True
        default_permissions = ()
        verbose_name = _("site in the trash")
        verbose_name_plural = _("sites in the trash")


def trashed_site_ids() -> models.QuerySet[Site, Any]:
    """Return the ids of the sites in the trash, as a sub-query."""
    return Site.with_trash.filter(trashed_at__isnull=False).values("pk")


class FieldOwner(models.TextChoices):
    SITE = "site"
    CHANNEL = "channel"
    CONTENT = "content"


class FieldDefinition(models.Model):
    """The kind of a custom field of a site, its channels or its contents, from its site template."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="field_definitions")
    owner = models.CharField(max_length=10, choices=FieldOwner)
    name = models.CharField(max_length=255)
    folded_name = models.CharField(max_length=255)  # casefolded
    label = models.CharField(max_length=255, blank=True, default="")
    kind = models.CharField(max_length=50, default="Text")  # SiteServer's input type: Text, Image, SelectOne, …
    default = models.TextField(blank=True, default="")
    choices = models.JSONField(blank=True, default=list)  # pairs of title and value
    is_visible = models.BooleanField(default=True)
    taxis = models.IntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["site", "owner", "folded_name"], name="field_definition_name_unique")
        ]

    def __str__(self) -> str:
        return self.name
