"""What is noted of users, in the OpenAPI document."""

from accounts.openapi.lists import LIST_CODES, WINDOW
from accounts.openapi.paths import NO_USER, USER_ID, USERS
from accounts.serializers import LogEntrySerializer
from cms_api.openapi.describing import Body, Described, Schema, paged_list_of, record, ref, value_of
from cms_api.openapi.schemas import date, number, sent

SCHEMAS: dict[str, Schema] = {
    "NewLogEntry": sent(LogEntrySerializer),
    "LogEntry": record(
        {
            "id": number("The number of the entry; later entries have higher ones."),
            "userName": {"type": "string", "description": "Name of the user at that time."},
            "ipAddress": {"type": "string", "description": "Network address of the client; empty where none is known."},
            "addDate": date("When it was noted."),
            "action": {"type": "string", "description": "What happened, in a word or two, such as Sign-in."},
            "summary": {"type": "string", "description": "What happened, as a sentence."},
        }
    ),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/users/{id}/logs",
        id="listUserLogs",
        tag=USERS,
        description="Lists what was noted of a user, by the service (sign-ins, new passwords) and by clients, newest "
        "first. Without top and skip the answer has the whole list, else a page of it and addresses of others.",
        success="The entries, none or more.",
        answer=paged_list_of(ref("LogEntry")),
        parameters=(USER_ID, *WINDOW),
        codes={**LIST_CODES, **NO_USER},
    ),
    Described(
        method="POST",
        path="/users/{id}/logs",
        id="createUserLog",
        tag=USERS,
        description="Notes something of a user, with the time and the network address from which the request came.",
        success="The new entry.",
        answer=value_of(ref("LogEntry"), "The new entry, with its id."),
        parameters=(USER_ID,),
        body=Body(schema=ref("NewLogEntry"), description="What is to be noted.", is_required=False),
        codes=NO_USER,
    ),
)
