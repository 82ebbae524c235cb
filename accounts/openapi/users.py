from accounts.filters import UserFilters
from accounts.openapi.accounts import BY_ID, TAKEN, account_of, account_record, new_account
from accounts.openapi.lists import filters_of
from accounts.openapi.paths import NO_USER, USER_ID, USERS
from accounts.serializers import UserCreationSerializer, UserSerializer
from core.openapi.describing import Body, Described, Link, Schema, paged_list_of, ref
from core.openapi.limits import default_of
from core.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW
from core.openapi.schemas import date, number, sent

_USER = account_record(
    UserSerializer,
    createDate=date("Time of the user's creation."),
    lastResetPasswordDate=date("Time of the last password change."),
    countOfWriting=number("Number of contributed contents, as counted by clients."),
)
_USER["properties"]["avatarUrl"] = {
    "type": "string",
    "description": "Absolute URL of the picture; empty if none.",
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
        description=f"Lists users that match all filters. {LIST_WORDS}",
        success="The users, possibly none.",
        answer=paged_list_of(ref("User")),
        parameters=(*filters_of(UserFilters), *WINDOW),
        codes=LIST_CODES,
    ),
    Described(
        method="POST",
        path="/users",
        id="createUser",
        tag=USERS,
        description="Creates a user, approved and not locked by default. If CMS_REGISTRATION is not `off`, people "
        "register without an API key: the service then sets isChecked and isLockedOut, and allows 20 "
        "registrations per network in 15 minutes.",
        success="The new user.",
        answer=account_of("User", "The new user, with its id."),
        body=Body(schema=ref("NewUser"), description="The user; userName and password are required."),
        codes={400: (*TAKEN, "missing_member", "password_too_weak"), 429: ("too_many_registrations",)},
        links=(
            Link("getUser", BY_ID, "Read the user by id."),
            Link("updateUser", BY_ID, "Change the user by id."),
            Link("deleteUser", BY_ID, "Delete the user by id."),
            Link("listUserLogs", BY_ID, "List the user's log."),
            Link("createUserLog", BY_ID, "Add an entry to the user's log."),
            Link("uploadUserAvatar", BY_ID, "Upload a picture of the user."),
            Link("getUserAvatar", BY_ID, "Get the URL of the user's picture."),
            Link("changeOwnPassword", BY_ID, "Change the password, given the old one."),
        ),
    ),
    Described(
        method="GET",
        path="/users/{id}",
        id="getUser",
        tag=USERS,
        description="Returns a user with all members of the record.",
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
        description="Changes the members that are sent, except the password. Users who change themselves cannot set "
        "isChecked or isLockedOut.",
        success="The user after the change.",
        answer=account_of("User", "The user after the change."),
        parameters=(USER_ID,),
        body=Body(schema=ref("UserChanges"), description="The members to change, possibly none.", is_required=False),
        codes={400: TAKEN, **NO_USER},
    ),
    Described(
        method="DELETE",
        path="/users/{id}",
        id="deleteUser",
        tag=USERS,
        description="Permanently deletes a user and the picture; log entries remain.",
        success="The user that was deleted.",
        answer=account_of("User", "The user that was deleted."),
        parameters=(USER_ID,),
        codes=NO_USER,
    ),
)
