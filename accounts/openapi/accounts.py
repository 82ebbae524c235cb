from accounts.serializers import PasswordFormatField
from accounts.validators import MAX_LENGTH
from core.openapi.describing import Schema, record, ref, value_of
from core.openapi.schemas import answered, date, number, one_of, sent
from core.rest.serializers import WireSerializer

TAKEN = ("email_taken", "mobile_taken", "user_name_taken")
BY_ID = {"id": "$response.body#/value/id"}
_STAND_IN: dict[str, Schema] = {
    "password": {
        "type": "string",
        "description": "Placeholder that changes with the password and reveals nothing about it.",
    },
    "passwordFormat": {
        "type": "string",
        "enum": ["Encrypted"],
        "description": "Always Encrypted, as in SiteServer CMS.",
    },
    "passwordSalt": {
        "type": "string",
        "description": "Placeholder for the salt, likewise.",
    },
}
_COUNTS = {
    "lastActivityDate": date("Time of the last sign-in or attempt; null if none.", never=True),
    "countOfLogin": number("Number of successful sign-ins."),
    "countOfFailedLogin": number("Number of consecutive failed sign-ins; success resets it."),
}


SCHEMAS: dict[str, Schema] = {
    "PasswordFormat": one_of(*PasswordFormatField.words)
    | {"description": "Requested password format; all are stored alike."},
}


def account_record(serializer: type[WireSerializer], **further: Schema) -> Schema:
    """Return the schema of an account in responses: writable members, the common ones, and `further`."""
    by_service = {"id": number("Id of the account; never changes.")} | _STAND_IN | _COUNTS | further
    properties = by_service | answered(serializer)["properties"]
    return record(properties, required=sorted(properties))


def new_account(serializer: type[WireSerializer], min_length: int) -> Schema:
    schema = sent(serializer, require=["userName", "password"])
    schema["properties"]["password"] |= {"minLength": min_length, "maxLength": MAX_LENGTH}
    return schema


def account_of(name: str, description: str) -> Schema:
    return value_of(ref(name), description)
