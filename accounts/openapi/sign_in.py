"""Signing in and out in the OpenAPI document."""

from accounts.openapi.passwords import credentials
from accounts.openapi.paths import SIGN_IN
from accounts.serializers import LoginSerializer
from cms_api.openapi.describing import Body, Codes, Described, Parameter, Schema, nullable, record, ref, value_of
from cms_api.openapi.limits import limit_words
from cms_api.openapi.schemas import HEADER_TEXT, date

_CODES: Codes = {400: ("missing_member", "sign_in_failed"), 429: ("busy", "too_many_failures")}


def _login(account: str) -> Schema:
    return record(
        {
            "value": ref(account) | {"description": "Who has signed in."},
            "accessToken": {
                "type": "string",
                "description": "Shows in later requests who has signed in: in X-SS-USER-TOKEN that of a user, in "
                "X-SS-ADMIN-TOKEN that of an administrator. It never stands for an API key.",
            },
            "expiresAt": date("Until when the token is valid: seven days from now."),
        }
    )


SCHEMAS: dict[str, Schema] = {
    "Login": credentials(
        LoginSerializer,
        isAutoLogin={
            "description": "Whether the client wants to stay signed in, as clients of the original send it; it makes "
            "no difference, a token is valid for seven days. Of any kind. Default: false."
        },
    ),
    "UserLogin": _login("User"),
    "AdministratorLogin": _login("Administrator"),
}


def _login_of(kind: str, path: str, operation_id: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Signs {'an' if kind == 'Administrator' else 'a'} {kind.lower()} in by name, e-mail address or "
        "mobile. An unknown account and a wrong password get the same answer. After "
        f"{limit_words('CMS_LOGIN_FAILURES_PER_ACCOUNT')} failures of an account from one address in 15 minutes, and "
        f"{limit_words('CMS_LOGIN_FAILURES_PER_ADDRESS')} from one address, the answer is 429. Beyond "
        f"{limit_words('CMS_LOGIN_FAILURES_EVERYWHERE')} failures of an account from all addresses, an address from "
        "which it has not signed in within 30 days waits between attempts.",
        success="Who has signed in, and the access token.",
        answer=ref(f"{kind}Login"),
        body=Body(schema=ref("Login"), description="The account and its password."),
        codes=_CODES,
    )


def _logout_of(kind: str, path: str, operation_id: str, header: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Ends the access token in {header}, which is not valid any more from now on.",
        success="Who has signed out, or null if an API key was sent without a valid token.",
        answer=value_of(nullable(ref(kind)), "Who has signed out; null without a valid token."),
        parameters=(
            Parameter(
                header,
                f"The accessToken that the sign-in of the {kind.lower()} returned. Default: that of the query, or of "
                f"a cookie named {header.removeprefix('X-')} that a page of the service's own host sends.",
                HEADER_TEXT,
                "header",
            ),
        ),
    )


OPERATIONS = (
    _login_of("User", "/users/actions/login", "loginUser"),
    _logout_of("User", "/users/actions/logout", "logoutUser", "X-SS-USER-TOKEN"),
    _login_of("Administrator", "/administrators/actions/login", "loginAdministrator"),
    _logout_of("Administrator", "/administrators/actions/logout", "logoutAdministrator", "X-SS-ADMIN-TOKEN"),
)
