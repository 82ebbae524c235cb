"""What is wrong with the place that somebody wants for a new site, in words for people."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from sites.addresses import is_folder, is_reserved
from sites.models import MAX_WEB_URL, Site, find_folder_owner
from transfer.reasons import filled

Text = str | Promise


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
