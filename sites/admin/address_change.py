"""New addresses of pages, which forms show before they store what changes them."""

import hashlib
import json
from typing import Any, NamedTuple

from django.http import HttpRequest


class AddressChange(NamedTuple):
    """The effect of a change on the addresses of pages, in words."""

    sentence: str
    examples: list[tuple[str, str]]  # old and new addresses
    afterwards: str  # what becomes of the old addresses


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def confirmation_context(request: HttpRequest, form: Any) -> dict[str, Any]:
    """Return what `sites/address_change.html` needs if the form asks for a confirmation."""
    if not form.address_change:
        return {}
    save_name = "_continue" if "_continue" in request.POST else "_save"
    return {"errors": None, "save_name": save_name}  # a question is no error
