"""Parameters, refusals and words of lists that are returned whole or in pages (core.rest.pagination.PagedList)."""

from core.openapi.describing import Codes, Parameter
from core.openapi.schemas import ASKED_ID

LIST_CODES: Codes = {400: ("duplicate_member", "invalid_value")}
LIST_WORDS = "Returns all, by id, or with top or skip a page."
WINDOW = (
    Parameter(
        "top",
        "Maximum number of records per page; less than 1 counts as 20. Default: all records, or 20 with skip.",
        ASKED_ID,
    ),
    Parameter(
        "skip",
        "Number of records to skip; negative counts as 0. Default: 0.",
        ASKED_ID,
    ),
)
