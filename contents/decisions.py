"""What is kept with a content of the last decision on it, by the names that the original gives them."""

from typing import Any

from cms_api.lib import clock
from contents.custom_fields import custom_values

CHECK_MEMBERS = frozenset({"check_isadmin", "check_username", "check_checkdate", "check_reasons"})


def check_entries(site_id: int, reasons: str, user_name: str) -> dict[str, Any]:
    """The entries for a decision made now: who, when and why (original-behaviour A.6)."""
    entries = {
        "check_isadmin": "True",
        "check_username": user_name,
        "check_checkdate": clock.now().isoformat(" ", "seconds"),
        "check_reasons": reasons,
    }
    return custom_values(site_id, "", entries)
