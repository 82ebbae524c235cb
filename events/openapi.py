from core.openapi.describing import Described, Parameter, Schema, list_of, nullable, record, ref
from core.openapi.schemas import ASKED_ID, FLAG, ID, TEXT
from events.views import DEFAULT_LIMIT, MAX_LIMIT, MAX_WAIT

_POSITION = {"type": "integer", "format": "int64", "minimum": 0}
_FIELDS = "Names of changed members, sorted; `settings` stands for settings and custom fields of a channel. Empty if "
_FIELDS += "the name of the event says it all."
_NULL = "null if the change does not concern one."

SCHEMAS: dict[str, Schema] = {
    "Change": record(
        {
            "id": _POSITION | {"description": "Position of the change; `after` accepts it."},
            "at": TEXT | {"description": "Time of the change, as YYYY-MM-DD HH:MM:SS."},
            "event": TEXT | {"description": "Subject and verb, such as content.published. More may be added."},
            "siteId": nullable(ID) | {"description": f"Id of the site; {_NULL}"},
            "channelId": nullable(ID) | {"description": f"Id of the channel, or of the content's channel; {_NULL}"},
            "contentId": nullable(ID) | {"description": f"Id of the content; {_NULL}"},
            "userId": nullable(ID) | {"description": f"Id of the user; {_NULL}"},
            "mediaId": nullable(ID) | {"description": f"Id of the file of the media library; {_NULL}"},
            "formId": nullable(ID) | {"description": f"Id of the form of the entry; {_NULL}"},
            "entryId": nullable(ID) | {"description": f"Id of the entry of the form; {_NULL}"},
            "version": nullable(_POSITION) | {"description": f"Version of the content after the change; {_NULL}"},
            "fields": list_of(TEXT) | {"description": _FIELDS},
            "isDeleted": FLAG | {"description": "True if the record is in the trash or deleted for good."},
        }
    ),
    "Changes": record(
        {
            "changes": list_of(ref("Change")) | {"description": "The changes, oldest first."},
            "nextCursor": TEXT | {"description": "Send it as `after` to go on."},
            "hasMore": FLAG | {"description": "True if more changes may follow at once, even if the list is empty."},
        }
    ),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/changes",
        id="listChanges",
        tag="Changes",
        description="Lists changes of contents, channels, sites, users, media files and entries of forms after a "
        "cursor, each at least once and in the order of their commits. A key sees changes in its sites by scope: "
        "Contents for contents, Channels for channels, STL for sites, Users for users, Media for files, and Forms for "
        "entries.",
        success="The changes after the cursor.",
        answer=ref("Changes"),
        parameters=(
            Parameter("siteId", "Id of a site; users belong to none. Default: every site of the key.", ASKED_ID),
            Parameter(
                "after",
                "nextCursor of the previous response, or start for the oldest stored change. Default: only a cursor "
                "for changes from now on is returned.",
                TEXT,
            ),
            Parameter(
                "wait",
                "Seconds to wait for a change if there is none. Default: 0.",
                {"type": "integer", "minimum": 0, "maximum": MAX_WAIT},
            ),
            Parameter(
                "limit",
                f"Maximum number of changes. Default: {DEFAULT_LIMIT}.",
                {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
            ),
        ),
        codes={
            400: ("cursor_expired", "duplicate_member", "invalid_cursor", "invalid_value"),
            401: ("scope_missing", "site_not_allowed"),
        },
    ),
)
