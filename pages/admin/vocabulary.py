"""The elements, attributes and entities that the template editor completes."""

from typing import Any

from pages.engine.compiling import ELEMENTS
from pages.engine.parsing import FAMILIES


def words() -> dict[str, Any]:
    """Return elements and families of entities by name, each with a summary and its members."""
    elements = {name: {"summary": "", "attributes": {}} for name in sorted(ELEMENTS)}
    return {"elements": elements, "entities": {family: {} for family in FAMILIES}}
