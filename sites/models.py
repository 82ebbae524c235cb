"""Sites: each a tree of channels with contents, reached under a folder of its own."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from cms_api.lib.settings_field import SettingsField
from sites.addresses import hold_addresses, is_folder, is_reserved
from sites.attributes import validate_settings

MAX_WEB_URL = 2000


class Site(models.Model):
    """One website. Its id is the id of its home channel, so `channelId = siteId` is that channel."""

    id = models.BigIntegerField(_("number"), primary_key=True)
    site_name = models.CharField(_("name"), max_length=255)
    site_dir = models.CharField(_("folder"), max_length=255, blank=True)
    table_name = models.CharField(_("table of contents"), max_length=50, blank=True)
    is_root = models.BooleanField(_("root site"), default=False)
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="children", verbose_name=_("below")
    )
    taxis = models.BigIntegerField(_("order"), default=0)
    # Members of the interface's `attributes` that differ from their default, and custom settings.
    settings = SettingsField(_("settings"), default=dict, blank=True)
    # Computed by save() from the folder and the settings; kept so that lists need no JSON of the site.
    web_url = models.CharField(_("web address"), max_length=MAX_WEB_URL, editable=False)

    class Meta:
        verbose_name = _("site")
        verbose_name_plural = _("sites")
        constraints = [
            models.UniqueConstraint(Lower("site_dir"), name="site_dir_unique"),
            models.UniqueConstraint(fields=["is_root"], condition=models.Q(is_root=True), name="site_one_root"),
            models.CheckConstraint(condition=models.Q(is_root=True) | ~models.Q(site_dir=""), name="site_dir_given"),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="site_not_own_parent"),
        ]

    def __str__(self) -> str:
        return self.site_name

    @transaction.atomic
    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Store the site and its web address, and those of the sites below it.

        Raises ValidationError when the sites above it lead back to it.
        """
        # Addresses follow from other sites: saving one site waits for saving another.
        parents = hold_site_and_below(self.pk)
        _refuse_loop(self.pk, self.parent_id, parents)
        if self.parent_id is not None:
            self.parent = Site.objects.get(pk=self.parent_id)  # as it is now, not as it was read
        self.web_url = self.compute_web_url()
        fields = None if update_fields is None else {*update_fields, "web_url"}
        super().save(*args, update_fields=fields, **kwargs)
        for site in Site.objects.filter(parent=self.pk):
            site.save(update_fields=[])

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Raise ValidationError for values that a column or a member of the settings cannot hold."""
        errors: dict[str, Any] = {}
        try:
            super().clean_fields(exclude)
        except ValidationError as error:
            errors = error.update_error_dict(errors)
        # Here and not in clean(), which may name no field that a form leaves out.
        if "settings" not in (exclude or ()):
            try:
                validate_settings(self.settings)
            except ValidationError as error:
                errors["settings"] = error.error_list
        if errors:
            raise ValidationError(errors)

    def clean(self) -> None:
        """Raise ValidationError when the site cannot stand at its place: its folder, below its parent."""
        problems: dict[str, list[str]] = defaultdict(list)
        if folder_problem := self._folder_problem():
            problems["site_dir"].append(folder_problem)
        if parent_problem := self._parent_problem():
            problems["parent"].append(parent_problem)
        # Addresses of sites in a loop have no end.
        elif (length := self._longest_web_url()) > MAX_WEB_URL:
            reason = f"An address of the site or of one below it would have {length} characters; {MAX_WEB_URL} are"
            problems["site_dir"].append(f"{reason} allowed.")
        if problems:
            raise ValidationError(dict(problems))

    def _folder_problem(self) -> str:
        if not self.site_dir:
            return "" if self.is_root else "Only the root site may do without a folder."
        if not is_folder(self.site_dir):
            return f'"{self.site_dir}" cannot be the folder of a site: it is one part of an address.'
        if self.parent_id is None and is_reserved(self.site_dir) and not self._stands_there():
            return f'The service itself answers under "{self.site_dir}"; choose another folder.'
        owner = find_folder_owner(self.site_dir, but=self.pk)
        return f'The folder "{self.site_dir}" belongs to site {owner}.' if owner else ""

    def _stands_there(self) -> bool:
        return Site.objects.filter(pk=self.pk, site_dir=self.site_dir, parent=None).exists()

    def _parent_problem(self) -> str:
        parents = dict(Site.objects.values_list("pk", "parent_id"))
        above = self.parent_id
        if above is None:
            return ""
        if self.is_root:
            return "The root site stands below no other."
        # A loop among other sites is not this one's; it must not hold the search, though.
        seen: set[int] = set()
        while above is not None and above not in seen:
            if above == self.pk:
                return "The site cannot stand below itself."
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
        """Whether its pages are on a host of their own; under its folder the service has only its uploads."""
        return "//" in self.web_url

    def compute_web_url(self) -> str:
        """Where the site's pages are: "" for the root site, "/dir" for others, or a host of its own.

        Never ends with a slash (original-behaviour §6), so a page's path is simply appended.
        """
        if self.settings.get("isSeparatedWeb") is True:
            return str(self.settings.get("separatedWebUrl", "")).rstrip("/")
        if self.is_root:
            return ""
        above = self.parent.compute_web_url() if self.parent else ""
        return f"{above}/{self.site_dir}"


def hold_site_and_below(site_id: int | None) -> dict[int, int | None]:
    """Hold what an address of the site follows from and leads to; return all sites, each with the one above it.

    The lock of addresses comes before rows, and rows come by their numbers, as everybody locks sites of which there are
    several (`channels_app.services.lock_tree`): two can never wait for each other in a circle. No key changes, so that
    contents being written need not wait.
    """
    hold_addresses()
    parents: dict[int, int | None] = dict(Site.objects.values_list("pk", "parent_id"))
    if site_id is not None:
        numbers = _with_those_below(site_id, parents)
        list(Site.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk").values_list("pk"))
    return parents


def _with_those_below(site_id: int, parents: Mapping[int, int | None]) -> set[int]:
    below = defaultdict(list)
    for pk, above in parents.items():
        below[above].append(pk)
    found, ahead = {site_id}, [site_id]
    while ahead:
        new = [pk for pk in below[ahead.pop()] if pk not in found]
        found.update(new)
        ahead += new
    return found


def _refuse_loop(site_id: int | None, parent_id: int | None, parents: Mapping[int, int | None]) -> None:
    above, seen = parent_id, {site_id}
    while above is not None:
        if above in seen:
            raise ValidationError({"parent": "The site cannot stand below itself."})
        seen.add(above)
        above = parents.get(above)


def find_folder_owner(site_dir: str, but: int | None = None) -> int | None:
    """The id of the site, other than `but`, that has the folder in whatever letter case.

    Compared here, since SQLite knows the letter case of ASCII only.
    """
    folded = site_dir.casefold()
    folders = Site.objects.values_list("pk", "site_dir")
    return next((pk for pk, folder in folders if pk != but and folder.casefold() == folded), None)
