"""What is done to sites; each function is one act that happens wholly or not at all."""

from django.db import transaction

from cms_api import audit
from cms_api.rest.custom_members import changed_members
from cms_api.rest.names import to_wire
from sites.models import Site, hold_site_and_below

_COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")


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
        audit.note("site.changed", site, site_id=site.pk, changed=changed)
