"""Users in the OpenAPI document."""

from accounts.filters import UserFilters
from accounts.openapi.accounts import BY_ID, TAKEN, account_of, account_record, new_account
from accounts.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW, filters_of
from accounts.openapi.paths import NO_USER, USER_ID, USERS
from accounts.serializers import UserCreationSerializer, UserSerializer
from cms_api.openapi.describing import Body, Described, Link, Schema, paged_list_of, ref
from cms_api.openapi.limits import default_of
from cms_api.openapi.schemas import date, number, sent

_USER = account_record(
    UserSerializer,
    createDate=date("When the user was created."),
    lastResetPasswordDate=date("When the password was last changed."),
    countOfWriting=number("How many contents the user has contributed, as clients count them."),
)
_USER["properties"]["avatarUrl"] = {
    "type": "string",
    "description": "Absolute address of the picture; empty for a user without one.",
}

SCHEMAS: dict[str, Schema] = {
    "User": _USER,
    "NewUser": new_account(UserCreationSerializer, default_of("CMS_PASSWORD_MIN_LENGTH")),
    "UserChanges": sent(UserSerializer, is_change=True),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/users",
        id="listUsers",
        tag=USERS,
        description=f"Lists users; all filters that are sent must hold. {LIST_WORDS}",
        success="The users, none or more.",
        answer=paged_list_of(ref("User")),
        parameters=(*filters_of(UserFilters), *WINDOW),
        codes=LIST_CODES,
    ),
    Described(
        method="POST",
        path="/users",
        id="createUser",
        tag=USERS,
        description="Creates a user, who is approved and not locked unless it is said otherwise, and may sign in at "
        "once. If the setting CMS_REGISTRATION is not `off`, people register without an API key: isChecked and "
        "isLockedOut are then the service's to decide, and one network may register 20 users in 15 minutes.",
        success="The new user.",
        answer=account_of("User", "The new user, with their id."),
        body=Body(schema=ref("NewUser"), description="The user; userName and password are required."),
        codes={400: (*TAKEN, "missing_member", "password_too_weak"), 429: ("too_many_registrations",)},
        links=(
            Link("getUser", BY_ID, "The user can be read by the id."),
            Link("updateUser", BY_ID, "The user can be changed by the id."),
            Link("deleteUser", BY_ID, "The user can be deleted by the id."),
            Link("listUserLogs", BY_ID, "What is noted of the user can be read."),
            Link("createUserLog", BY_ID, "Something can be noted of the user."),
            Link("uploadUserAvatar", BY_ID, "A picture of the user can be uploaded."),
            Link("getUserAvatar", BY_ID, "The address of the user's picture can be read."),
            Link("changeOwnPassword", BY_ID, "The password of the user can be changed by the old one."),
        ),
    ),
    Described(
        method="GET",
        path="/users/{id}",
        id="getUser",
        tag=USERS,
        description="Reads a user with every member of the record.",
        success="The user.",
        answer=account_of("User", "The user with that id."),
        parameters=(USER_ID,),
        codes=NO_USER,
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
        answer=account_of("User", "The user after the change."),
        parameters=(USER_ID,),
        body=Body(schema=ref("UserChanges"), description="The members to change, none or more.", is_required=False),
        codes={400: TAKEN, **NO_USER},
    ),
    Described(
        method="DELETE",
        path="/users/{id}",
        id="deleteUser",
        tag=USERS,
        description="Permanently deletes a user, with the picture; entries of the log stay in the service.",
        success="The user as they were.",
        answer=account_of("User", "The user as they were."),
        parameters=(USER_ID,),
        codes=NO_USER,
    ),
)
