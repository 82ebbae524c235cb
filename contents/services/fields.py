"""What is done to the custom fields of a site; each function is one act that happens wholly or not at all."""

from collections.abc import Iterable

from django.db import transaction

from cms_api import audit
from cms_api.lib.errors import InvalidInput
from cms_api.rest.custom_members import name_custom
from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from sites.models import Site

# What editors' inputs follow from; the name stays, since contents and clients know the field by it.
DESCRIPTION = ("label", "kind", "choices", "help_text", "taxis", "is_offered")


@transaction.atomic
def change_fields(site: Site, fields: Iterable[CustomField]) -> None:
    """Store how fields of the site are offered to editors; new ones have no number yet.

    Raises InvalidInput for the name of a new one that is taken or cannot be one.
    """
    Site.objects.select_for_update(no_key=True).filter(pk=site.pk).first()
    changed = [_store(site, field) for field in fields]
    if changed:
        audit.note("site.changed", site, site_id=site.pk, changed=[f"customFields.{name}" for name in changed])


def describe_fields(site_id: int, described: Iterable[CustomField]) -> None:
    """Let fields that the site has be offered to editors as those of the same names; others stay as they are."""
    known = {field.folded_name: field for field in CustomField.objects.filter(site_id=site_id)}
    fields = []
    for each in described:
        if field := known.get(each.name.casefold()):
            for member in DESCRIPTION:
                setattr(field, member, getattr(each, member))
            fields.append(field)
    CustomField.objects.bulk_update(fields, DESCRIPTION)


def read_name(name: str) -> str:
    """The name as the API would keep it: `Video Length` → as members are camel-cased there. Raises InvalidInput."""
    found = name_custom({name.strip(): ""}, "content")
    folded = next(iter(found), "").casefold()
    if not folded or folded in BY_FOLDED_WIRE or folded.startswith("check_") or "\0" in folded:
        raise InvalidInput("field_name_invalid", f'"{name}" cannot be the name of a custom field.')
    return next(iter(found))


def _store(site: Site, field: CustomField) -> str:
    if field.pk:
        field.save(update_fields=DESCRIPTION)
        return field.name
    field.site, field.name = site, read_name(field.name)
    field.folded_name = field.name.casefold()
    if CustomField.objects.filter(site=site, folded_name=field.folded_name).exists():
        raise InvalidInput("field_name_taken", f'The site has a field "{field.name}" already.')
    field.save()
    return field.name
