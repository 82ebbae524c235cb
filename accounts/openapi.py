"""Users, administrators, sign-in and captchas in the OpenAPI document."""

from accounts.credentials import LoginSerializer, Md5Field, OwnPasswordSerializer, PasswordSerializer
from accounts.filters import AccountFilters, AdministratorFilters, UserFilters
from accounts.serializers import (
    AdministratorCreationSerializer,
    AdministratorSerializer,
    LogEntrySerializer,
    UserCreationSerializer,
    UserSerializer,
)
from accounts.validators import MAX_LENGTH
from accounts.views.captcha import MAX_NAME, CaptchaSerializer
from cms_api.openapi.describing import (
    Body,
    Codes,
    Described,
    Link,
    Parameter,
    Schema,
    nullable,
    paged_list_of,
    ref,
    value_of,
)
from cms_api.openapi.limits import default_of, limit_words
from cms_api.openapi.schemas import ASKED_FLAG, DATE_TIME, ID, NOT_BLANK, answered_value, help_of, sent
from cms_api.rest.filters import BooleanFilter, FromFilter, ToFilter
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import WireSerializer

USERS, ADMINISTRATORS, SIGN_IN = "Users", "Administrators", "Sign-in"

# ---- records


def _date(description: str, *, never: bool = False) -> Schema:
    return {"type": ["string", "null"] if never else "string", "pattern": DATE_TIME, "description": description}


def _number(description: str) -> Schema:
    return ID | {"description": description}


_STAND_IN = {
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
    "lastActivityDate": _date("When the account last signed in or tried to; null for never.", never=True),
    "countOfLogin": _number("How often the account has signed in."),
    "countOfFailedLogin": _number("How often signing in has failed in succession; a success sets it to 0."),
}


def _record(serializer: type[WireSerializer], **further: Schema) -> Schema:
    shown = {
        to_wire(name): {"description": help_of(field)} | answered_value(field)
        for name, field in serializer.field_table().items()
    }
    properties = (
        {"id": _number("The number of the account, which never changes.")} | _STAND_IN | _COUNTS | further | shown
    )
    return {
        "type": "object",
        "required": sorted(properties),
        "properties": properties,
        "additionalProperties": False,
    }


_USER = _record(
    UserSerializer,
    createDate=_date("When the user was created."),
    lastResetPasswordDate=_date("When the password was last changed."),
    countOfWriting=_number("How many contents the user has contributed, as clients count them."),
)
_USER["properties"]["avatarUrl"] = {
    "type": "string",
    "description": "Absolute address of the picture; empty for a user without one.",
}
_ADMINISTRATOR = _record(AdministratorSerializer, creationDate=_date("When the administrator was created."))


def _login(account: str) -> Schema:
    return {
        "type": "object",
        "required": ["value", "accessToken", "expiresAt"],
        "properties": {
            "value": ref(account) | {"description": "Who has signed in."},
            "accessToken": {
                "type": "string",
                "description": "Shows in later requests who has signed in: in X-SS-USER-TOKEN that of a user, in "
                "X-SS-ADMIN-TOKEN that of an administrator. It never stands for an API key.",
            },
            "expiresAt": _date("Until when the token is valid: seven days from now."),
        },
        "additionalProperties": False,
    }


def _credentials(serializer: type[WireSerializer], **further: Schema) -> Schema:
    schema = sent(serializer, require=[to_wire(name) for name in serializer.field_table()], further=further)
    for name, field in serializer.field_table().items():
        member = schema["properties"][to_wire(name)]
        member["minLength"] = 1
        if name == "account":
            member["pattern"] = NOT_BLANK
        if isinstance(field, Md5Field):
            member["pattern"] = "^[0-9A-Fa-f]{32}$"
        if name == "new_password":
            member |= _OF_PASSWORDS
    return schema


def _new(serializer: type[WireSerializer]) -> Schema:
    schema = sent(serializer, require=["userName", "password"])
    schema["properties"]["userName"]["pattern"] = NOT_BLANK
    schema["properties"]["password"] |= _OF_PASSWORDS
    return schema


_OF_PASSWORDS = {"minLength": default_of("CMS_PASSWORD_MIN_LENGTH"), "maxLength": MAX_LENGTH}

SCHEMAS: dict[str, Schema] = {
    "User": _USER,
    "NewUser": _new(UserCreationSerializer),
    "UserChanges": sent(UserSerializer),
    "Administrator": _ADMINISTRATOR,
    "NewAdministrator": _new(AdministratorCreationSerializer),
    "AdministratorChanges": sent(AdministratorSerializer),
    "NewLogEntry": sent(LogEntrySerializer),
    "LogEntry": {
        "type": "object",
        "required": ["id", "userName", "ipAddress", "addDate", "action", "summary"],
        "properties": {
            "id": _number("The number of the entry; later entries have higher ones."),
            "userName": {"type": "string", "description": "Name of the user at that time."},
            "ipAddress": {"type": "string", "description": "Network address of the client; empty where none is known."},
            "addDate": _date("When it was noted."),
            "action": {"type": "string", "description": "What happened, in a word or two, such as Sign-in."},
            "summary": {"type": "string", "description": "What happened, as a sentence."},
        },
        "additionalProperties": False,
    },
    "Login": _credentials(
        LoginSerializer,
        isAutoLogin={
            "description": "Whether the client wants to stay signed in, as clients of the original send it; it makes "
            "no difference, a token is valid for seven days. Default: false."
        },
    ),
    "UserLogin": _login("User"),
    "AdministratorLogin": _login("Administrator"),
    "PasswordChange": _credentials(PasswordSerializer),
    "OwnPasswordChange": _credentials(OwnPasswordSerializer),
    "CaptchaAnswer": sent(CaptchaSerializer, require=["captcha"]),
}

# ---- parameters

_WINDOW = (
    Parameter(
        "top",
        "How many records at most, and that the list is wanted in pages. Default: the whole list, with skip alone 20.",
        dict(ID),
    ),
    Parameter(
        "skip",
        "How many records are left out at the beginning, and that the list is wanted in pages. Default: 0.",
        dict(ID),
    ),
)
_ABOUT = {
    "userName": "Only the account with this userName, letter case ignored. Default: any.",
    "displayName": "Only accounts with this text anywhere in the displayName, letter case ignored. Default: any.",
    "email": "Only the account with this e-mail address, letter case ignored. Default: any.",
    "mobile": "Only the account with this mobile, letter case ignored. Default: any.",
    "keyword": "Only accounts with this text in their name, displayName, e-mail address or mobile. Default: any.",
    "isLockedOut": "true: only locked accounts, false: only those that are not. Default: both.",
    "isChecked": "true: only approved users, false: only those that are not. Default: both.",
    "lastActivityDateFrom": "Only accounts that last signed in, or tried to, at this moment or later. Default: any.",
    "lastActivityDateTo": "Only accounts that last signed in, or tried to, at this moment or before. Default: any.",
    "createDateFrom": "Only users created at this moment or later, such as 2026-11-20. Default: any.",
    "createDateTo": "Only users created at this moment or before; a date alone lasts to the end of its day.",
    "creationDateFrom": "Only administrators created at this moment or later, such as 2026-11-20. Default: any.",
    "creationDateTo": "Only administrators created at this moment or before; a date alone lasts to the end of its day.",
}


def _filters(filters: type[AccountFilters]) -> tuple[Parameter, ...]:
    found = []
    for name, one in filters.base_filters.items():
        wire = to_wire(name)
        text: Schema = {"type": "string"} | ({} if isinstance(one, FromFilter | ToFilter) else {"maxLength": 255})
        found.append(Parameter(wire, _ABOUT[wire], ASKED_FLAG if isinstance(one, BooleanFilter) else text))
    return tuple(found)


_USER_ID = Parameter("id", "Number of the user, as answers have it in `id`.", ID | {"minimum": 1}, "path")
_ADMINISTRATOR_ID = Parameter("id", "Number of the administrator, as answers have it.", ID | {"minimum": 1}, "path")
_CAPTCHA_NAME = Parameter(
    "name",
    "What the captcha is for, such as LOGIN-CAPTCHA: each name has a picture and a cookie of its own. At most "
    f"{MAX_NAME} characters, without a slash.",
    {"type": "string", "minLength": 1, "maxLength": MAX_NAME, "pattern": "^[^/]+$"},
    "path",
)
_TAKEN = ("email_taken", "mobile_taken", "user_name_taken")
_NO_USER: Codes = {404: ("user_not_found",)}
_NO_ADMINISTRATOR: Codes = {404: ("administrator_not_found",)}
_FAILURES: Codes = {400: ("missing_member", "sign_in_failed"), 429: ("busy", "too_many_failures")}
_NEW_PASSWORD: Codes = {
    400: ("missing_member", "password_too_weak", "sign_in_failed"),
    429: ("busy", "too_many_failures"),
}
_LIST_CODES: Codes = {400: ("duplicate_member", "invalid_value")}
_LIST = "Without top and skip the answer has the whole list, else a page of it and addresses of others, sorted by id."
_ID = {"id": "$response.body#/value/id"}


def _value(name: str, description: str) -> Schema:
    return value_of(ref(name), description)


# ---- operations

USER_OPERATIONS = (
    Described(
        method="GET",
        path="/users",
        id="listUsers",
        tag=USERS,
        description=f"Lists users; all filters that are sent must hold. {_LIST}",
        success="The users, none or more.",
        answer=paged_list_of(ref("User")),
        parameters=(*_filters(UserFilters), *_WINDOW),
        codes=_LIST_CODES,
    ),
    Described(
        method="POST",
        path="/users",
        id="createUser",
        tag=USERS,
        description="Creates a user, who is approved and not locked unless it is said otherwise, and may sign in at "
        "once.",
        success="The new user.",
        answer=_value("User", "The new user, with their id."),
        body=Body(schema=ref("NewUser"), description="The user; userName and password are required."),
        codes={400: (*_TAKEN, "missing_member", "password_too_weak")},
        links=(
            Link("getUser", _ID, "The user can be read by the id."),
            Link("updateUser", _ID, "The user can be changed by the id."),
            Link("deleteUser", _ID, "The user can be deleted by the id."),
            Link("listUserLogs", _ID, "What is noted of the user can be read."),
            Link("createUserLog", _ID, "Something can be noted of the user."),
            Link("uploadUserAvatar", _ID, "A picture of the user can be uploaded."),
            Link("getUserAvatar", _ID, "The address of the user's picture can be read."),
            Link("changeOwnPassword", _ID, "The password of the user can be changed by the old one."),
        ),
    ),
    Described(
        method="GET",
        path="/users/{id}",
        id="getUser",
        tag=USERS,
        description="Reads a user with every member of the record.",
        success="The user.",
        answer=_value("User", "The user with that id."),
        parameters=(_USER_ID,),
        codes=_NO_USER,
    ),
    Described(
        method="PUT",
        path="/users/{id}",
        id="updateUser",
        tag=USERS,
        description="Changes the members that are sent and leaves the others; a password is never changed here. "
        "Users who change themselves cannot change isChecked and isLockedOut. With If-Match the change happens only "
        "if nobody has changed the user meanwhile.",
        success="The user after the change.",
        answer=_value("User", "The user after the change."),
        parameters=(_USER_ID,),
        body=Body(schema=ref("UserChanges"), description="The members to change, none or more.", is_required=False),
        codes={400: _TAKEN, **_NO_USER},
    ),
    Described(
        method="DELETE",
        path="/users/{id}",
        id="deleteUser",
        tag=USERS,
        description="Deletes a user for good, with the picture; entries of the log stay in the service.",
        success="The user as they were.",
        answer=_value("User", "The user as they were."),
        parameters=(_USER_ID,),
        codes=_NO_USER,
    ),
    Described(
        method="POST",
        path="/users/{id}/avatar",
        id="uploadUserAvatar",
        tag=USERS,
        description="Takes a picture for a user as the only file of a form; any name of the part and of the file "
        f"will do. GIF, JPEG, PNG, WebP or BMP, up to {limit_words('CMS_AVATAR_MAX_BYTES')} bytes and "
        f"{limit_words('CMS_AVATAR_MAX_PIXELS')} pixels; it is stored smaller, with {limit_words('CMS_AVATAR_SIDE')} "
        "pixels on the longer side at most.",
        success="The user with the address of the new picture.",
        answer=_value("User", "The user with the new avatarUrl."),
        parameters=(_USER_ID,),
        body=Body(
            schema={
                "type": "object",
                "required": ["avatar"],
                "properties": {
                    "avatar": {
                        "type": "string",
                        "contentMediaType": "application/octet-stream",
                        "description": "The picture: the bytes of a file.",
                    }
                },
            },
            description="A form with one file. Further parts that are no files are ignored.",
            media_type="multipart/form-data",
            encoding={"avatar": {"contentType": "image/png, image/jpeg, image/gif, image/webp, image/bmp"}},
        ),
        codes={
            400: ("file_empty", "file_expected", "not_a_picture", "one_file_expected", "picture_too_large"),
            413: ("file_too_large",),
            429: ("busy",),
            503: ("storage_unavailable",),
            **_NO_USER,
        },
    ),
    Described(
        method="GET",
        path="/users/{id}/avatar",
        id="getUserAvatar",
        tag=USERS,
        description="Answers the absolute address of a user's picture. A user without one, and an id that no user "
        "has, get the address of the default picture.",
        success="The address.",
        answer=value_of({"type": "string"}, "The absolute address of the picture."),
        parameters=(Parameter("id", "Number of the user; one that no user has is no error.", dict(ID), "path"),),
    ),
    Described(
        method="GET",
        path="/users/{id}/logs",
        id="listUserLogs",
        tag=USERS,
        description="Lists what was noted of a user, by the service (sign-ins, new passwords) and by clients, newest "
        "first. Without top and skip the answer has the whole list, else a page of it and addresses of others.",
        success="The entries, none or more.",
        answer=paged_list_of(ref("LogEntry")),
        parameters=(_USER_ID, *_WINDOW),
        codes={**_LIST_CODES, **_NO_USER},
    ),
    Described(
        method="POST",
        path="/users/{id}/logs",
        id="createUserLog",
        tag=USERS,
        description="Notes something of a user, with the time and the network address from which the request came.",
        success="The new entry.",
        answer=_value("LogEntry", "The new entry, with its id."),
        parameters=(_USER_ID,),
        body=Body(schema=ref("NewLogEntry"), description="What is to be noted.", is_required=False),
        codes=_NO_USER,
    ),
    Described(
        method="POST",
        path="/users/{id}/actions/resetPassword",
        id="changeOwnPassword",
        tag=USERS,
        description="Changes the password of the user in the path by the old one, which may be plain or an MD5. "
        "Tokens of before are not valid any more.",
        success="The user with the new password.",
        answer=_value("User", "The user whose password has changed."),
        parameters=(_USER_ID,),
        body=Body(schema=ref("OwnPasswordChange"), description="The old password and the new one."),
        codes={**_NEW_PASSWORD, **_NO_USER},
    ),
    Described(
        method="POST",
        path="/users/actions/resetPassword",
        id="changeUserPassword",
        tag=USERS,
        description="Changes the password of the user whom `account` names by the MD5 of the old one. Tokens of "
        "before are not valid any more.",
        success="The user with the new password.",
        answer=_value("User", "The user whose password has changed."),
        body=Body(schema=ref("PasswordChange"), description="Whose password, the old one and the new one."),
        codes=_NEW_PASSWORD,
    ),
)

ADMINISTRATOR_OPERATIONS = (
    Described(
        method="GET",
        path="/administrators",
        id="listAdministrators",
        tag=ADMINISTRATORS,
        description=f"Lists administrators; all filters that are sent must hold. {_LIST}",
        success="The administrators, none or more.",
        answer=paged_list_of(ref("Administrator")),
        parameters=(*_filters(AdministratorFilters), *_WINDOW),
        codes=_LIST_CODES,
    ),
    Described(
        method="POST",
        path="/administrators",
        id="createAdministrator",
        tag=ADMINISTRATORS,
        description="Creates an administrator of ordinary rank; the back end gives other ranks and rights.",
        success="The new administrator.",
        answer=_value("Administrator", "The new administrator, with their id."),
        body=Body(schema=ref("NewAdministrator"), description="The administrator; userName and password are required."),
        codes={400: (*_TAKEN, "missing_member", "password_too_weak")},
        links=(
            Link("getAdministrator", _ID, "The administrator can be read by the id."),
            Link("updateAdministrator", _ID, "The administrator can be changed by the id."),
            Link("deleteAdministrator", _ID, "The administrator can be deleted by the id."),
        ),
    ),
    Described(
        method="GET",
        path="/administrators/{id}",
        id="getAdministrator",
        tag=ADMINISTRATORS,
        description="Reads an administrator with every member of the record.",
        success="The administrator.",
        answer=_value("Administrator", "The administrator with that id."),
        parameters=(_ADMINISTRATOR_ID,),
        codes=_NO_ADMINISTRATOR,
    ),
    Described(
        method="PUT",
        path="/administrators/{id}",
        id="updateAdministrator",
        tag=ADMINISTRATORS,
        description="Changes the members that are sent and leaves the others; rank and password are never changed "
        "here. The last administrator of the highest rank cannot be locked. With If-Match the change happens only if "
        "nobody has changed the administrator meanwhile.",
        success="The administrator after the change.",
        answer=_value("Administrator", "The administrator after the change."),
        parameters=(_ADMINISTRATOR_ID,),
        body=Body(
            schema=ref("AdministratorChanges"), description="The members to change, none or more.", is_required=False
        ),
        codes={400: (*_TAKEN, "last_administrator"), **_NO_ADMINISTRATOR},
    ),
    Described(
        method="DELETE",
        path="/administrators/{id}",
        id="deleteAdministrator",
        tag=ADMINISTRATORS,
        description="Deletes an administrator for good, with all API keys of theirs. The last one of the highest "
        "rank who may sign in cannot be deleted.",
        success="The administrator as they were.",
        answer=_value("Administrator", "The administrator as they were."),
        parameters=(_ADMINISTRATOR_ID,),
        codes={400: ("last_administrator",), **_NO_ADMINISTRATOR},
    ),
    Described(
        method="POST",
        path="/administrators/actions/resetPassword",
        id="changeAdministratorPassword",
        tag=ADMINISTRATORS,
        description="Changes the password of the administrator whom `account` names by the MD5 of the old one. "
        "Tokens and sessions of before are not valid any more.",
        success="The administrator with the new password.",
        answer=_value("Administrator", "The administrator whose password has changed."),
        body=Body(schema=ref("PasswordChange"), description="Whose password, the old one and the new one."),
        codes=_NEW_PASSWORD,
    ),
)


def _login_of(kind: str, path: str, operation_id: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Signs {'an' if kind == 'Administrator' else 'a'} {kind.lower()} in by name, e-mail address or "
        "mobile. An unknown account and a wrong password get the same answer. After "
        f"{limit_words('CMS_LOGIN_FAILURES_PER_ACCOUNT')} failures of an account in 15 minutes, and "
        f"{limit_words('CMS_LOGIN_FAILURES_PER_ADDRESS')} from one address, the answer is 429.",
        success="Who has signed in, and the access token.",
        answer=ref(f"{kind}Login"),
        body=Body(schema=ref("Login"), description="The account and its password."),
        codes=_FAILURES,
    )


def _logout_of(kind: str, path: str, operation_id: str, header: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Ends the access token in {header}, which is not valid any more from now on.",
        success="Who has signed out, or null where there was no valid token.",
        answer=value_of(nullable(ref(kind)), "Who has signed out; null without a valid token."),
        parameters=(
            Parameter(header, f"The accessToken that the sign-in of the {kind.lower()} answered.", place="header"),
        ),
    )


SIGN_IN_OPERATIONS = (
    _login_of("User", "/users/actions/login", "loginUser"),
    _logout_of("User", "/users/actions/logout", "logoutUser", "X-SS-USER-TOKEN"),
    _login_of("Administrator", "/administrators/actions/login", "loginAdministrator"),
    _logout_of("Administrator", "/administrators/actions/logout", "logoutAdministrator", "X-SS-ADMIN-TOKEN"),
    Described(
        method="GET",
        path="/captcha/{name}",
        id="getCaptcha",
        tag=SIGN_IN,
        description="Draws four characters that people can tell apart, as a PNG of 130 by 53 pixels, and sets the "
        "cookie SS-{name} that belongs to it. It is valid for 10 minutes and for one answer.",
        success="The picture.",
        answer={"type": "string", "contentMediaType": "image/png", "description": "The bytes of the picture."},
        answer_type="image/png",
        headers=("Set-Cookie", "Cache-Control"),
        parameters=(_CAPTCHA_NAME,),
        codes={400: ("captcha_name_too_long",), 429: ("busy",)},
        uses_database=False,
    ),
    Described(
        method="POST",
        path="/captcha/{name}/actions/check",
        id="checkCaptcha",
        tag=SIGN_IN,
        description="Checks what somebody has read from the picture whose cookie the request bears, letter case "
        "ignored. Whatever the outcome, the picture is used up. A wrong answer is 400, so that a page need not look "
        "at the value.",
        success="The answer was right.",
        answer=value_of({"type": "boolean", "enum": [True]}, "Always true: a wrong answer is 400."),
        parameters=(_CAPTCHA_NAME,),
        body=Body(schema=ref("CaptchaAnswer"), description="What was read from the picture."),
        codes={400: ("captcha_expired", "captcha_name_too_long", "captcha_wrong", "missing_member")},
    ),
)

OPERATIONS = (*USER_OPERATIONS, *ADMINISTRATOR_OPERATIONS, *SIGN_IN_OPERATIONS)
