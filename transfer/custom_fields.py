"""The custom fields of a site's contents: one spelling per field, and a row that makes it known."""

from typing import Any

import orjson
from django.utils.translation import gettext_lazy as _

from cms_api.rest.custom_members import MAX_NAME
from cms_api.rest.names import camelise
from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from transfer.columns import check_length
from transfer.package import PackageError
from transfer.reasons import filled

# A site has some dozens; the limit keeps a hostile package from filling the memory.
MAX_CUSTOM_FIELDS = 1_000


class CustomFields:
    """The custom fields met so far in one import."""

    def __init__(self) -> None:
        self._spellings: dict[str, str] = {}

    def settings_xml(self, settings: dict[str, Any], origin: str) -> str:
        """Return a content's settings as the stored text, its fields spelt as they were met first."""
        if not settings:
            return "{}"
        spelt = {self._spell(name, origin): value for name, value in settings.items()}
        return orjson.dumps({name: value for name, value in spelt.items() if name}).decode()

    def save(self, site_id: int) -> None:
        """Make the fields known to the site's filters."""
        CustomField.objects.bulk_create(
            CustomField(site_id=site_id, name=name, folded_name=folded)
            for folded, name in self._spellings.items()
            if name
        )

    def _spell(self, name: str, origin: str) -> str:
        folded = name.casefold()
        if folded not in self._spellings:
            self._add(folded, name, origin)
        return self._spellings[folded]

    def _add(self, folded: str, name: str, origin: str) -> None:
        # Some letters are two without their case, and the name is kept in that form too.
        check_length(max(name, folded, key=len), MAX_NAME, f"{name[:40]}… (its name)", origin)
        if len(self._spellings) >= MAX_CUSTOM_FIELDS:
            told = filled(_("The site has more than %(count)d custom fields."), count=MAX_CUSTOM_FIELDS)
            raise PackageError(told, file=origin)
        # A member of the interface wins over a setting of the same name.
        self._spellings[folded] = "" if folded in BY_FOLDED_WIRE else camelise(name)
