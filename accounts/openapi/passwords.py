from accounts.openapi.paths import ADMINISTRATORS, NO_USER, USER_ID, USERS
from accounts.serializers import CredentialsSerializer, Md5Field, OwnPasswordSerializer, PasswordSerializer
from accounts.validators import MAX_LENGTH
from core.openapi.describing import Body, Codes, Described, Schema, ref, value_of
from core.openapi.limits import default_of
from core.openapi.schemas import NOT_BLANK, sent
from core.rest.names import to_wire

_CODES: Codes = {
    400: ("missing_member", "password_too_weak", "sign_in_failed"),
    429: ("busy", "too_many_failures"),
}


def credentials(serializer: type[CredentialsSerializer], **further: Schema) -> Schema:
    required = [name for name in serializer.field_table() if name not in serializer.OPTIONAL]
    schema = sent(serializer, require=[to_wire(name) for name in required], further=further)
    for name, field in serializer.field_table().items():
        member = schema["properties"][to_wire(name)]
        if name in required:
            member["minLength"] = 1
        if name == "account":
            member["pattern"] = NOT_BLANK
        if isinstance(field, Md5Field):
            member["pattern"] = "^[0-9A-Fa-f]{32}$"
        if name == "new_password":
            member |= {"minLength": default_of("CMS_PASSWORD_MIN_LENGTH"), "maxLength": MAX_LENGTH}
    return schema


SCHEMAS: dict[str, Schema] = {
    "PasswordChange": credentials(PasswordSerializer),
    "OwnPasswordChange": credentials(OwnPasswordSerializer),
}

OPERATIONS = (
    Described(
        method="POST",
        path="/users/{id}/actions/resetPassword",
        id="changeOwnPassword",
        tag=USERS,
        description="Changes the password of the user in the path; requires the old one, in plain text or as MD5. "
        "Existing tokens become invalid.",
        success="The user, with the new password.",
        answer=value_of(ref("User"), "The user whose password changed."),
        parameters=(USER_ID,),
        body=Body(schema=ref("OwnPasswordChange"), description="The old password and the new one."),
        codes={**_CODES, **NO_USER},
    ),
    Described(
        method="POST",
        path="/users/actions/resetPassword",
        id="changeUserPassword",
        tag=USERS,
        description="Changes the password of the user in `account`; requires the MD5 of the old one. Existing tokens "
        "become invalid.",
        success="The user, with the new password.",
        answer=value_of(ref("User"), "The user whose password changed."),
        body=Body(schema=ref("PasswordChange"), description="The account, the old password and the new one."),
        codes=_CODES,
    ),
    Described(
        method="POST",
        path="/administrators/actions/resetPassword",
        id="changeAdministratorPassword",
        tag=ADMINISTRATORS,
        description="Changes the password of the administrator in `account`; requires the MD5 of the old one. Existing "
        "tokens and sessions become invalid.",
        success="The administrator, with the new password.",
        answer=value_of(ref("Administrator"), "The administrator whose password changed."),
        body=Body(schema=ref("PasswordChange"), description="The account, the old password and the new one."),
        codes=_CODES,
    ),
)
