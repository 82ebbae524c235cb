"""Where an imported site goes: its folder, and whether it is the root site."""

from dataclasses import dataclass

from sites.addresses import is_folder, is_reserved
from sites.models import Site, find_folder_owner
from transfer.columns import Columns
from transfer.package import PackageError, SiteRecord


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
