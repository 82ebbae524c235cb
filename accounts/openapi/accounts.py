"""What users and administrators have in common in the OpenAPI document: records, and what follows from an id."""

from accounts.serializers import PasswordFormatField
from accounts.validators import MAX_LENGTH
from cms_api.openapi.describing import Schema, record, ref, value_of
from cms_api.openapi.schemas import answered, date, number, one_of, sent
from cms_api.rest.serializers import WireSerializer

TAKEN = ("email_taken", "mobile_taken", "user_name_taken")
BY_ID = {"id": "$response.body#/value/id"}
_STAND_IN: dict[str, Schema] = {
    "password": {
        "type": "string",
        "description": "A stand-in for the password: a text that changes with it and tells nothing about it.",
    },
    "passwordFormat": {"type": "string", "enum": ["Encrypted"], "description": "Always Encrypted, as in the original."},
    "passwordSalt": {
        "type": "string",
        "description": "A stand-in for the salt: a text that changes with the password and tells nothing about it.",
    },
}
_COUNTS = {
    "lastActivityDate": date("When the account last signed in or tried to; null for never.", never=True),
    "countOfLogin": number("How often the account has signed in."),
    "countOfFailedLogin": number("How often signing in has failed in succession; a success sets it to 0."),
}


SCHEMAS: dict[str, Schema] = {
    "PasswordFormat": one_of(*PasswordFormatField.words)
    | {"description": "How a client wants a password kept; all are stored alike."},
}


def account_record(serializer: type[WireSerializer], **further: Schema) -> Schema:
    """An account as it is answered: what may be changed of it, what all accounts have besides, and further members."""
    by_service = {"id": number("The number of the account, which never changes.")} | _STAND_IN | _COUNTS | further
    properties = by_service | answered(serializer)["properties"]
    return record(properties, required=sorted(properties))


def new_account(serializer: type[WireSerializer], min_length: int) -> Schema:
    """The body that creates an account."""
    schema = sent(serializer, require=["userName", "password"])
    schema["properties"]["password"] |= {"minLength": min_length, "maxLength": MAX_LENGTH}
    return schema


def account_of(name: str, description: str) -> Schema:
    """An answer with one account."""
    return value_of(ref(name), description)
