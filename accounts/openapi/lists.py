"""The lists of accounts and of what belongs to them, in the OpenAPI document: filters and pages."""

from django_filters import Filter

from accounts.filters import AccountFilters
from cms_api.openapi.describing import Codes, Parameter, Schema
from cms_api.openapi.schemas import ASKED_DATE, ASKED_FLAG, ID
from cms_api.rest.filters import MAX_LENGTH, BooleanFilter, FromFilter, ToFilter
from cms_api.rest.names import to_wire

LIST_CODES: Codes = {400: ("duplicate_member", "invalid_value")}
LIST_WORDS = (
    "Without top and skip the answer has the whole list, else a page of it and addresses of others, sorted by id."
)
WINDOW = (
    Parameter(
        "top",
        "How many records at most, and that the list is wanted in pages; less than 1 counts as 20. Default: the whole "
        "list, with skip alone 20.",
        dict(ID),
    ),
    Parameter(
        "skip",
        "How many records are left out at the beginning, and that the list is wanted in pages; less than 0 counts as "
        "0. Default: 0.",
        dict(ID),
    ),
)
_WHOLE_DAY = "a date alone lasts to the end of its day. Default: any."
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
    "createDateTo": f"Only users created at this moment or before; {_WHOLE_DAY}",
    "creationDateFrom": "Only administrators created at this moment or later, such as 2026-11-20. Default: any.",
    "creationDateTo": f"Only administrators created at this moment or before; {_WHOLE_DAY}",
}


def filters_of(filters: type[AccountFilters]) -> tuple[Parameter, ...]:
    """The parameters of a list that choose among the accounts."""
    found = []
    for name, one in filters.base_filters.items():
        wire = to_wire(name)
        found.append(Parameter(wire, _ABOUT[wire], _schema(one)))
    return tuple(found)


def _schema(one: Filter) -> Schema:
    if isinstance(one, BooleanFilter):
        return ASKED_FLAG
    return ASKED_DATE if isinstance(one, FromFilter | ToFilter) else {"type": "string", "maxLength": MAX_LENGTH}
