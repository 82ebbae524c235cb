"""The elements, attributes and entities that the template editor completes, in the administrator's language."""

from typing import Any

from django.utils.translation import gettext

from pages.engine.vocabulary import ELEMENTS, ENTITIES


def words() -> dict[str, Any]:
    """Return elements and families of entities by name, each with a summary and its members."""
    elements = {
        name: {
            "summary": gettext(element.summary),
            "attributes": {
                attribute: {"summary": gettext(about.summary), "values": about.values}
                for attribute, about in element.attributes.items()
            },
        }
        for name, element in ELEMENTS.items()
    }
    entities = {
        family: {
            "summary": gettext(entity.summary),
            "names": {name: gettext(summary) for name, summary in entity.names.items()},
        }
        for family, entity in ENTITIES.items()
    }
    return {"elements": elements, "entities": entities}
