from accounts.openapi.paths import NO_USER, USER_ID, USERS
from accounts.serializers import LogEntrySerializer
from core.openapi.describing import Body, Described, Schema, paged_list_of, record, ref, value_of
from core.openapi.lists import LIST_CODES, WINDOW
from core.openapi.schemas import date, number, sent

SCHEMAS: dict[str, Schema] = {
    "NewLogEntry": sent(LogEntrySerializer),
    "LogEntry": record(
        {
            "id": number("Id of the entry; later entries have higher ids."),
            "userName": {"type": "string", "description": "Name of the user at the time."},
            "ipAddress": {"type": "string", "description": "IP address of the client; empty if unknown."},
            "addDate": date("Time of the entry."),
            "action": {"type": "string", "description": "Short name of the event, such as Sign-in."},
            "summary": {"type": "string", "description": "The event as a sentence."},
        }
    ),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/users/{id}/logs",
        id="listUserLogs",
        tag=USERS,
        description="Lists a user's log, newest first: events of the service (sign-ins, new passwords) and entries of "
        "clients. Returns all, or with top or skip a page.",
        success="The entries, possibly none.",
        answer=paged_list_of(ref("LogEntry")),
        parameters=(USER_ID, *WINDOW),
        codes={**LIST_CODES, **NO_USER},
    ),
    Described(
        method="POST",
        path="/users/{id}/logs",
        id="createUserLog",
        tag=USERS,
        description="Adds an entry to a user's log, with the time and the client's IP address.",
        success="The new entry.",
        answer=value_of(ref("LogEntry"), "The new entry, with its id."),
        parameters=(USER_ID,),
        body=Body(schema=ref("NewLogEntry"), description="The event to record.", is_required=False),
        codes=NO_USER,
    ),
)
