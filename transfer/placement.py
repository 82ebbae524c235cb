"""Where an imported site goes: its folder, and whether it is the root site."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from sites.addresses import is_folder, is_reserved
from sites.models import MAX_WEB_URL, Site, find_folder_owner
from transfer.columns import Columns
from transfer.package import PackageError, SiteRecord, filled

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Placement:
    """The folder and rank of a site; the root site may do without a folder."""

    site_dir: str
    is_root: bool
    # The site below whose folder this one's stands.
    parent_id: int | None = None
    # Instead of the package's.
    site_name: str = ""


def place_site(site: SiteRecord, site_dir: str = "", *, is_root: bool = False) -> Placement:
    """Return where the site goes, by what is asked for and else by what the package says.

    A folder that is asked for makes a package's root site an ordinary one. Raises PackageError when
    the place is taken or cannot be one.
    """
    placement = Placement(site_dir or site.site_dir, is_root or (site.is_root and not site_dir))
    Columns(Site).check({"site_dir": placement.site_dir}, "The site")
    _check_folder(placement)
    _check_taken(placement)
    return placement


def _check_folder(placement: Placement) -> None:
    if not placement.site_dir and not placement.is_root:
        raise PackageError("The package names no folder for its site; give one with --site-dir.")
    if placement.site_dir and not is_folder(placement.site_dir):
        raise PackageError(f'"{placement.site_dir}" cannot be the folder of a site; give one with --site-dir.')
    if is_reserved(placement.site_dir):
        raise PackageError(
            f'The service itself answers under "{placement.site_dir}"; give another folder with --site-dir.'
        )


def _check_taken(placement: Placement) -> None:
    if owner := find_folder_owner(placement.site_dir):
        raise PackageError(f'The folder "{placement.site_dir}" belongs to site {owner}; give another with --site-dir.')
    root = Site.objects.filter(is_root=True).first() if placement.is_root else None
    if root:
        raise PackageError(
            f"Site {root.pk} is the root site already; give a folder with --site-dir and leave out --root."
        )


def place_problems(site_dir: str, is_root: bool, parent_id: int | None) -> dict[str, Text]:
    """The problems by the names of the form's fields; the rules are those of `create_site`."""
    problems: dict[str, Text] = {
        "site_dir": _folder_problem(site_dir, is_root, parent_id),
        "is_root": _root_problem(is_root, parent_id),
    }
    if parent_id is not None and not Site.objects.filter(pk=parent_id).exists():
        problems["parent"] = _("The site is not there any more.")
    return {field: problem for field, problem in problems.items() if problem}


def _folder_problem(site_dir: str, is_root: bool, parent_id: int | None) -> Text:
    if not site_dir:
        return "" if is_root else _("Only the root site may do without a folder.")
    if not is_folder(site_dir) or len(site_dir) > 255:
        return _("A folder is one part of an address: letters, digits and - or _, without blanks and slashes.")
    if is_reserved(site_dir) and parent_id is None:
        return _("The service itself answers under this folder; choose another one.")
    if owner := find_folder_owner(site_dir):
        name = Site.objects.filter(pk=owner).values_list("site_name", flat=True).first() or owner
        return filled(_("The folder belongs to the site %(name)s."), name=name)
    return _("The address would be too long.") if _is_too_long(site_dir, parent_id) else ""


def _root_problem(is_root: bool, parent_id: int | None) -> Text:
    if not is_root:
        return ""
    if parent_id is not None:
        return _("The root site stands below no other.")
    root = Site.objects.filter(is_root=True).values_list("site_name", flat=True).first()
    return filled(_("There is a root site already: %(name)s."), name=root) if root is not None else ""


def _is_too_long(site_dir: str, parent_id: int | None) -> bool:
    above = Site.objects.filter(pk=parent_id).first() if parent_id is not None else None
    return len((above.compute_web_url() if above else "") + site_dir) >= MAX_WEB_URL
