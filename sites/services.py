"""What is done to sites; each function is one act that happens wholly or not at all."""

from django.db import transaction

from cms_api import audit
from cms_api.rest.custom_members import changed_members
from cms_api.rest.names import to_wire
from sites.models import Site

_COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")


@transaction.atomic
def change_site(site: Site) -> None:
    """Store the site as it is in memory.

    Raises ValidationError when the sites above it lead back to it.
    """
    before = Site.objects.select_for_update(no_key=True).get(pk=site.pk)
    site.save()
    changed = {to_wire(name) for name in _COLUMNS if getattr(site, name) != getattr(before, name)}
    changed |= changed_members(site.settings, before.settings)
    if changed:
        audit.note("site.changed", site, site_id=site.pk, changed=changed)
