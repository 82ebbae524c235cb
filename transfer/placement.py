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
    """Folder and rank of a site; only the root site may lack a folder."""

    site_dir: str
    is_root: bool
    # The site whose folder contains this one's.
    parent_id: int | None = None
    # Overrides the package's.
    site_name: str = ""


def place_site(site: SiteRecord, site_dir: str = "", *, is_root: bool = False) -> Placement:
    """Place the site by the arguments, else by the package; an explicit folder makes it an ordinary site.

    Raises PackageError for a taken or invalid place.
    """
    placement = Placement(site_dir or site.site_dir, is_root or (site.is_root and not site_dir))
    folder = placement.site_dir
    Columns(Site).check({"site_dir": folder}, "The site")
    if not folder and not placement.is_root:
        raise PackageError("The package names no folder for its site; give one with --site-dir.")
    if folder and not is_folder(folder):
        raise PackageError(f'"{folder}" cannot be the folder of a site; give one with --site-dir.')
    if is_reserved(folder):
        raise PackageError(f'The service itself uses "{folder}"; give another folder with --site-dir.')
    if owner := find_folder_owner(folder):
        raise PackageError(f'The folder "{folder}" belongs to site {owner}; give another with --site-dir.')
    root = Site.objects.filter(is_root=True).first() if placement.is_root else None
    if root:
        raise PackageError(
            f"Site {root.pk} is already the root site; give a folder with --site-dir and leave out --root."
        )
    return placement


def place_problems(site_dir: str, is_root: bool, parent_id: int | None) -> dict[str, Text]:
    """Problems by form field, with the rules of `create_site`."""
    problems: dict[str, Text] = {
        "site_dir": _folder_problem(site_dir, is_root, parent_id),
        "is_root": _root_problem(is_root, parent_id),
    }
    if parent_id is not None and not Site.objects.filter(pk=parent_id).exists():
        problems["parent"] = _("The site no longer exists.")
    return {field: problem for field, problem in problems.items() if problem}


def _folder_problem(site_dir: str, is_root: bool, parent_id: int | None) -> Text:
    if not site_dir:
        return "" if is_root else _("Only the root site may have no folder.")
    if not is_folder(site_dir) or len(site_dir) > 255:
        return _("A folder is one part of a web address: letters, digits, - and _, without spaces or slashes.")
    if is_reserved(site_dir) and parent_id is None:
        return _("The service itself uses this folder; choose another one.")
    if owner := find_folder_owner(site_dir):
        name = Site.objects.filter(pk=owner).values_list("site_name", flat=True).first() or owner
        return filled(_("The folder belongs to the site %(name)s."), name=name)
    above = Site.objects.filter(pk=parent_id).first() if parent_id is not None else None
    is_too_long = len((above.compute_web_url() if above else "") + site_dir) >= MAX_WEB_URL
    return _("The web address would be too long.") if is_too_long else ""


def _root_problem(is_root: bool, parent_id: int | None) -> Text:
    if not is_root:
        return ""
    if parent_id is not None:
        return _("The root site cannot have a parent.")
    root = Site.objects.filter(is_root=True).values_list("site_name", flat=True).first()
    return filled(_("There is already a root site: %(name)s."), name=root) if root is not None else ""
