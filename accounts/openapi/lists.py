from django_filters import Filter

from accounts.filters import AccountFilters
from core.openapi.describing import Parameter, Schema
from core.openapi.schemas import ASKED_DATE, ASKED_FLAG
from core.rest.filters import MAX_LENGTH, BooleanFilter, FromFilter, ToFilter
from core.rest.names import to_wire

_WHOLE_DAY = "a date alone includes that day. Default: any."
_ABOUT = {
    "userName": "The account with this userName, ignoring letter case. Default: any.",
    "displayName": "Accounts whose displayName contains this text, ignoring letter case. Default: any.",
    "email": "The account with this email address, ignoring letter case. Default: any.",
    "mobile": "The account with this mobile number, ignoring letter case. Default: any.",
    "keyword": "Accounts whose userName, displayName, email or mobile contains this text. Default: any.",
    "isLockedOut": "true: only locked accounts; false: only others. Default: both.",
    "isChecked": "true: only approved users; false: only others. Default: both.",
    "lastActivityDateFrom": "Accounts whose last sign-in or attempt was at this time or later. Default: any.",
    "lastActivityDateTo": "Accounts whose last sign-in or attempt was at this time or earlier. Default: any.",
    "createDateFrom": "Users created at this time or later, such as 2026-11-20. Default: any.",
    "createDateTo": f"Users created at this time or earlier; {_WHOLE_DAY}",
    "creationDateFrom": "Administrators created at this time or later, such as 2026-11-20. Default: any.",
    "creationDateTo": f"Administrators created at this time or earlier; {_WHOLE_DAY}",
}


def filters_of(filters: type[AccountFilters]) -> tuple[Parameter, ...]:
    found = []
    for name, one in filters.base_filters.items():
        wire = to_wire(name)
        found.append(Parameter(wire, _ABOUT[wire], _schema(one)))
    return tuple(found)


def _schema(one: Filter) -> Schema:
    if isinstance(one, BooleanFilter):
        return ASKED_FLAG
    return ASKED_DATE if isinstance(one, FromFilter | ToFilter) else {"type": "string", "maxLength": MAX_LENGTH}
