"""The lists of accounts and of what belongs to them, in the OpenAPI document: filters and pages."""

from accounts.filters import AccountFilters
from cms_api.openapi.describing import Codes, Parameter, Schema
from cms_api.openapi.schemas import ASKED_FLAG, ID
from cms_api.rest.filters import BooleanFilter, FromFilter, ToFilter
from cms_api.rest.names import to_wire

LIST_CODES: Codes = {400: ("duplicate_member", "invalid_value")}
LIST_WORDS = (
    "Without top and skip the answer has the whole list, else a page of it and addresses of others, sorted by id."
)
WINDOW = (
    Parameter(
        "top",
        "How many records at most, and that the list is wanted in pages. Default: the whole list, with skip alone 20.",
        dict(ID),
    ),
    Parameter(
        "skip",
        "How many records are left out at the beginning, and that the list is wanted in pages. Default: 0.",
        dict(ID),
    ),
)
_ABOUT = {
    "userName": "Only the account with this userName, letter case ignored. Default: any.",
    "displayName": "Only accounts with this text anywhere in the displayName, letter case ignored. Default: any.",
    "email": "Only the account with this e-mail address, letter case ignored. Default: any.",
    "mobile": "Only the account with this mobile, letter case ignored. Default: any.",
    "keyword": "Only accounts with this text in their name, displayName, e-mail address or mobile. Default: any.",
    "isLockedOut": "true: only locked accounts, false: only those that are not. Default: both.",
    "isChecked": "true: only approved users, false: only those that are not. Default: both.",
    "lastActivityDateFrom": "Only accounts that last signed in, or tried to, at this moment or later. Default: any.",
    "lastActivityDateTo": "Only accounts that last signed in, or tried to, at this moment or before. Default: any.",
    "createDateFrom": "Only users created at this moment or later, such as 2026-11-20. Default: any.",
    "createDateTo": "Only users created at this moment or before; a date alone lasts to the end of its day.",
    "creationDateFrom": "Only administrators created at this moment or later, such as 2026-11-20. Default: any.",
    "creationDateTo": "Only administrators created at this moment or before; a date alone lasts to the end of its day.",
}


def filters_of(filters: type[AccountFilters]) -> tuple[Parameter, ...]:
    """The parameters of a list that choose among the accounts."""
    found = []
    for name, one in filters.base_filters.items():
        wire = to_wire(name)
        text: Schema = {"type": "string"} | ({} if isinstance(one, FromFilter | ToFilter) else {"maxLength": 255})
        found.append(Parameter(wire, _ABOUT[wire], ASKED_FLAG if isinstance(one, BooleanFilter) else text))
    return tuple(found)
