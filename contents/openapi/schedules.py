"""OpenAPI of the schedules of publication."""

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from contents.openapi.single import CONTENT_ID, MISSING, TAG
from core.openapi.describing import Described, Parameter, Schema, paged_list_of, record, ref, value_of
from core.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW
from core.openapi.schemas import ASKED_DATE, date, number

_TIMES: dict[str, Schema] = {
    "publishAt": date("Time of final approval, or null.", never=True),
    "unpublishAt": date("Time of withdrawing the approval, or null.", never=True),
    "scheduledBy": {"type": ["string", "null"], "description": "User name of who scheduled it, or null."},
    "failure": {
        "type": ["string", "null"],
        "description": "Why it could not be done at its time; null unless that happened.",
    },
}
_LISTED: dict[str, Schema] = {
    "id": number("Id of the content."),
    "channelId": number("Id of its channel."),
    "title": {"type": "string", "description": "Title of the content."},
}
SCHEMAS: dict[str, Schema] = {"Schedule": record(_TIMES), "ListedSchedule": record(_LISTED | _TIMES)}

OPERATIONS = (
    Described(
        method="GET",
        path="/contents/{siteId}/schedules",
        id="listSchedules",
        tag=TAG,
        description="Lists the contents of a site that will be published or withdrawn, or could not be. " + LIST_WORDS,
        success="The schedules.",
        answer=paged_list_of(ref("ListedSchedule")),
        parameters=(
            SITE_ID,
            Parameter("from", "Contents with one of their times at this time or later. Default: any.", ASKED_DATE),
            Parameter(
                "to",
                "Contents with one of their times at this time or earlier; a date alone includes that day. "
                "Default: any.",
                ASKED_DATE,
            ),
            *WINDOW,
        ),
        codes={**LIST_CODES, 404: ("site_not_found",)},
    ),
    Described(
        method="GET",
        path="/contents/{siteId}/{channelId}/{id}/schedule",
        id="getSchedule",
        tag=TAG,
        description="Returns when a content will be published and withdrawn. Set these times with the content itself.",
        success="The times, null if there are none.",
        answer=value_of(ref("Schedule"), "The schedule of the content."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID),
        codes=MISSING,
    ),
    Described(
        method="DELETE",
        path="/contents/{siteId}/{channelId}/{id}/schedule",
        id="deleteSchedule",
        tag=TAG,
        description="Removes both times; the content keeps its state.",
        success="The times that were removed.",
        answer=value_of(ref("Schedule"), "The schedule that was removed."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID),
        codes=MISSING,
    ),
)
