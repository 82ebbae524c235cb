from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet

from contents.models import CustomField
from contents.services.schedules import TIMES
from contents.wire.columns import BY_FOLDED_WIRE
from core import audit
from core.lib.errors import InvalidInput
from core.rest.custom_members import name_custom
from sites.models import Site

# How the admin shows a field. The name is fixed, since contents and clients refer to it.
DESCRIPTION = ("label", "kind", "choices", "help_text", "taxis", "is_offered")

# SiteServer's custom field for the style of the title.
INTERNAL = frozenset({"titleformatstring"})

# Members of requests that are no custom fields, unless the site has had them before.
_RESERVED = BY_FOLDED_WIRE.keys() | {name.casefold() for name in TIMES.values()}


def describable_fields(site_id: int) -> QuerySet[CustomField]:
    """Fields of the site that may be offered, in order, except fields that record decisions."""
    fields = CustomField.objects.filter(site_id=site_id)
    own = fields.exclude(folded_name__startswith="check_").exclude(folded_name__in=INTERNAL)
    return own.order_by("taxis", "folded_name")


def options_of(choices: str) -> list[str]:
    return [line.strip() for line in choices.splitlines() if line.strip()]


@transaction.atomic
def change_fields(site: Site, fields: Iterable[CustomField]) -> None:
    """Store field descriptions; those without id are created. Raises InvalidInput for a taken or invalid name."""
    Site.objects.select_for_update(no_key=True).filter(pk=site.pk).first()
    changed = []
    for field in fields:
        if field.pk:
            field.save(update_fields=DESCRIPTION)
        else:
            field.site, field.name = site, read_name(field.name)
            field.folded_name = field.name.casefold()
            if CustomField.objects.filter(site=site, folded_name=field.folded_name).exists():
                raise InvalidInput("field_name_taken", f'The site already has a field "{field.name}".')
            field.save()
        changed.append(f"customFields.{field.name}")
    if changed:
        audit.record("site.changed", site, site_id=site.pk, changed=changed)


def describe_fields(site_id: int, described: Iterable[CustomField]) -> None:
    """Copy the descriptions to the site's fields of the same names; other fields do not change."""
    known = {field.folded_name: field for field in CustomField.objects.filter(site_id=site_id)}
    fields = []
    for each in described:
        if field := known.get(each.name.casefold()):
            for member in DESCRIPTION:
                setattr(field, member, getattr(each, member))
            fields.append(field)
    CustomField.objects.bulk_update(fields, DESCRIPTION)


def read_name(name: str) -> str:
    """The name as the API would store it (camel-cased, as for members). Raises InvalidInput."""
    found = name_custom({name.strip(): ""}, "content")
    folded = next(iter(found), "").casefold()
    if not folded or folded in _RESERVED or folded.startswith("check_") or "\0" in folded:
        raise InvalidInput("field_name_invalid", f'"{name}" cannot be the name of a custom field.')
    return next(iter(found))
