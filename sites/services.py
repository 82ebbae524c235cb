from contextlib import nullcontext
from typing import Any

from django.db import transaction

from core import audit
from core.archive.errors import ArchiveError
from core.rest.custom_members import changed_members
from core.rest.names import to_wire
from sites.attributes import REGISTRY
from sites.models import Site, hold_site_and_below, site_not_found
from sites.page_changes import changing_pages

_COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")
# Everyone who may see a site may see these; the place among sites is for the highest rank.
_TOLD_COLUMNS = ("site_name", "site_dir")
_MAX_CHARACTERS = 100  # of a value in the audit


def hold_site(site_id: int) -> Site:
    """Return the stored site; lock it, those below it and all addresses until commit. Raises NotFound.

    Call before other site locks.
    """
    hold_site_and_below(site_id)
    if (site := Site.objects.filter(pk=site_id).first()) is None:
        raise site_not_found(site_id)
    return site


@transaction.atomic
def change_site(site: Site) -> None:
    """Store the site and record the changes. Raises ValidationError if its parents form a cycle."""
    before = hold_site(site.pk)
    changed = {to_wire(name) for name in _COLUMNS if getattr(site, name) != getattr(before, name)}
    changed |= changed_members(site.settings, before.settings)
    if not changed:
        return
    with nullcontext() if site.settings == before.settings else changing_pages(site.pk):
        site.save()
    # Values before and after, by the names in `changed`; declared members only, since custom ones may be secrets.
    told = {to_wire(name): [_cut(getattr(each, name)) for each in (before, site)] for name in _TOLD_COLUMNS}
    settings = [REGISTRY.values(each.settings) for each in (before, site)]
    told |= {f"settings.{name}": [_cut(values[name]) for values in settings] for name in REGISTRY.by_name}
    # Drop values that are equal once cut: they would look unchanged.
    values = {name: told[name] for name in sorted(changed & told.keys()) if told[name][0] != told[name][1]}
    facts: dict[str, Any] = {"values": values} if values else {}
    audit.record("site.changed", site, site_id=site.pk, changed=changed, **facts)


def _cut(value: Any) -> Any:
    is_long = isinstance(value, str) and len(value) > _MAX_CHARACTERS
    return f"{value[:_MAX_CHARACTERS]}…" if is_long else value


def find_site(name: str) -> Site:
    """Return the site of the id or folder, for commands. Raises ArchiveError."""
    chosen = {"pk": int(name)} if name.isdecimal() else {"site_dir__iexact": name}
    site = Site.objects.filter(**chosen).first()
    if site is None:
        known = ", ".join(
            f"{pk} ({folder})" for pk, folder in Site.objects.order_by("pk").values_list("pk", "site_dir")
        )
        raise ArchiveError(f"There is no site {name}. Sites are: {known or 'none'}.")
    return site
