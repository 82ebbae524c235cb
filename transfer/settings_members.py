"""The members of a site's and of a channel's settings, read from a text form that has no types.

Names are compared without letter case: the pair form of a settings text knows small letters only.
"""

from datetime import tzinfo
from typing import Any

from django.utils.translation import gettext_lazy as _

import channels_app.attributes
import sites.attributes
from cms_api.lib.errors import InvalidInput
from cms_api.rest.attributes import NEVER, Attribute, AttributeRegistry, Kind
from transfer.reasons import filled, reason_of
from transfer.values import Reader, read_date, read_flag, read_plain

CHANNEL_MEMBERS = channels_app.attributes.REGISTRY
SITE_MEMBERS = sites.attributes.REGISTRY


def read_date_text(text: str, time_zone: tzinfo) -> str:
    """Return the date in the form in which the interface answers it."""
    moment = read_date(text, time_zone)
    return moment.isoformat(" ") if moment else NEVER


READERS: dict[Kind, Reader] = {
    Kind.BOOLEAN: read_flag,
    Kind.INTEGER: read_plain,
    Kind.TEXT: read_plain,
    Kind.DATE_TIME: read_date_text,
}


def typed_settings(settings: dict[str, str], members: AttributeRegistry, time_zone: tzinfo) -> dict[str, Any]:
    """Return the settings with their members named and typed as the interface declares them.

    Members without a text are left out, so that their default applies, and so are computed ones; other
    entries stay texts. Of a member under its present and a former name the present one counts.
    """
    typed: dict[str, Any] = {}
    for name, text in settings.items():
        attribute = members.find(name)
        if attribute is None:
            typed[name] = text
        elif text and not attribute.is_computed and (attribute.name not in typed or is_present(name, attribute)):
            typed[attribute.name] = read_member(attribute, text, time_zone)
    return typed


def is_present(name: str, attribute: Attribute) -> bool:
    """Return whether the name is the member's own and not one that it had before."""
    return name.casefold() == attribute.name.casefold()


def read_member(attribute: Attribute, text: str, time_zone: tzinfo) -> Any:
    """Return the value of a member; raise ValueError that names the member, the text and what is allowed."""
    try:
        return attribute.read(READERS[attribute.kind](text, time_zone), attribute.name)
    except InvalidInput as error:
        told = _('%(name)s: "%(text)s" is not %(expected)s.')
        raise ValueError(filled(told, name=attribute.name, text=text[:40], expected=attribute.expected)) from error
    except ValueError as error:
        raise ValueError(filled("%(name)s: %(reason)s", name=attribute.name, reason=reason_of(error))) from error
