"""OpenAPI of the custom fields of a site."""

from channels_app.openapi.channels import SITE_ID
from contents.models import CustomField
from contents.openapi.single import TAG
from core.openapi.describing import Described, Schema, list_of, paged_list_of, record, ref
from core.openapi.lists import LIST_CODES, WINDOW
from core.openapi.schemas import number, one_of

_TEXT: Schema = {"type": "string"}
SCHEMAS: dict[str, Schema] = {
    "CustomFieldKind": one_of(*CustomField.Kind.values)
    | {"description": "Input of the field in the admin. The forms store texts, of a switch True or False."},
    "CustomField": record(
        {
            "name": _TEXT | {"description": "Name of the member in contents, rules and filters."},
            "label": _TEXT | {"description": "Label for editors; empty if it is the name."},
            "kind": ref("CustomFieldKind") | {"description": "How the form of the admin shows it."},
            "options": list_of(_TEXT) | {"description": "Values that a choice offers."},
            "helpText": _TEXT | {"description": "Help text for editors, possibly empty."},
            "taxis": number("Position in the form, lowest first; then by name."),
            "isOffered": {"type": "boolean", "description": "Whether the form of the admin shows it."},
        }
    ),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/sites/{siteId}/fields",
        id="listFields",
        tag=TAG,
        description="Lists the custom fields of contents and forms of the site, past and present, except records of "
        "approvals. The API stores any value in any of them. Returns all in the order of their creation, or with top "
        "or skip a page.",
        success="The fields.",
        answer=paged_list_of(ref("CustomField")),
        parameters=(SITE_ID, *WINDOW),
        codes={**LIST_CODES, 404: ("site_not_found",)},
    ),
)
