"""What is done to sites; each function is one act that happens wholly or not at all."""

from typing import Any

from django.db import transaction

from cms_api import audit
from cms_api.rest.custom_members import changed_members
from cms_api.rest.names import to_wire
from sites.attributes import REGISTRY
from sites.models import Site, hold_site_and_below

_COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")
# Whoever may see a site may see these; its place among others is for the highest rank.
_TOLD_COLUMNS = ("site_name", "site_dir")
_MOST_CHARACTERS = 100  # of a value in the audit


def hold_site(site_id: int) -> Site:
    """The site as it is stored, which nobody else changes until the present transaction ends.

    The sites below it are held too, whose addresses follow from its own, and everybody else's change of an address
    (`Site.save`, which takes the same locks again). So this comes before any lock of a site's row.
    """
    hold_site_and_below(site_id)
    return Site.objects.get(pk=site_id)


@transaction.atomic
def change_site(site: Site) -> None:
    """Store the site as it is in memory.

    Raises ValidationError when the sites above it lead back to it.
    """
    before = hold_site(site.pk)
    site.save()
    changed = {to_wire(name) for name in _COLUMNS if getattr(site, name) != getattr(before, name)}
    changed |= changed_members(site.settings, before.settings)
    if changed:
        audit.note("site.changed", site, site_id=site.pk, changed=changed, **_values(before, site, changed))


def _values(before: Site, after: Site, changed: set[str]) -> dict[str, Any]:
    """The values of what changed, before and after, by the names in `changed`, as far as the audit keeps them.

    Only of members that are declared: custom ones are somebody else's, and may be secrets.
    """
    told = {to_wire(name): [_cut(getattr(site, name)) for site in (before, after)] for name in _TOLD_COLUMNS}
    settings = [REGISTRY.values(site.settings) for site in (before, after)]
    told |= {f"settings.{name}": [_cut(values[name]) for values in settings] for name in REGISTRY.by_name}
    # Two that are alike as far as they are kept would tell that nothing changed.
    values = {name: told[name] for name in sorted(changed & told.keys()) if told[name][0] != told[name][1]}
    return {"values": values} if values else {}


def _cut(value: Any) -> Any:
    is_long = isinstance(value, str) and len(value) > _MOST_CHARACTERS
    return f"{value[:_MOST_CHARACTERS]}…" if is_long else value
