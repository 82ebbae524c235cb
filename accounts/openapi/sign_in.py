from accounts.openapi.passwords import credentials
from accounts.openapi.paths import SIGN_IN
from accounts.serializers import AdministratorLoginSerializer, LoginSerializer
from core.openapi.describing import Body, Codes, Described, Parameter, Schema, nullable, record, ref, value_of
from core.openapi.limits import limit_words
from core.openapi.schemas import HEADER_TEXT, date

_CODES: Codes = {400: ("missing_member", "sign_in_failed"), 429: ("busy", "too_many_failures")}
_IS_AUTO_LOGIN: Schema = {
    "description": "Accepted for clients of SiteServer CMS and ignored; tokens are always valid for seven days. Of any "
    "kind. Default: false."
}


def _login(account: str) -> Schema:
    return record(
        {
            "value": ref(account) | {"description": "The account that signed in."},
            "accessToken": {
                "type": "string",
                "description": "Token for later requests: X-SS-USER-TOKEN for a user, X-SS-ADMIN-TOKEN for an "
                "administrator. Not an API key.",
            },
            "expiresAt": date("Expiry of the token, in seven days."),
        }
    )


SCHEMAS: dict[str, Schema] = {
    "Login": credentials(LoginSerializer, isAutoLogin=_IS_AUTO_LOGIN),
    "LoginWithCode": credentials(AdministratorLoginSerializer, isAutoLogin=_IS_AUTO_LOGIN),
    "UserLogin": _login("User"),
    "AdministratorLogin": _login("Administrator"),
}


def _login_of(kind: str, path: str, operation_id: str) -> Described:
    is_administrator = kind == "Administrator"
    body = (
        "The account and its password, and the code of a second factor."
        if is_administrator
        else ("The account and its password.")
    )
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Signs {'an' if is_administrator else 'a'} {kind.lower()} in by name, email address or "
        "mobile number. The response does not reveal whether the account exists. Returns 429 after "
        f"{limit_words('CMS_LOGIN_FAILURES_PER_ACCOUNT')} failures of an account from one address in 15 "
        f"minutes, or {limit_words('CMS_LOGIN_FAILURES_PER_ADDRESS')} from one address. After "
        f"{limit_words('CMS_LOGIN_FAILURES_EVERYWHERE')} failures of an account from all addresses, an address "
        "without a successful sign-in within 30 days must wait between attempts.",
        success="The account and its access token.",
        answer=ref(f"{kind}Login"),
        body=Body(schema=ref("LoginWithCode" if is_administrator else "Login"), description=body),
        codes={**_CODES, 400: (*_CODES[400], "second_factor_required")} if is_administrator else _CODES,
    )


def _logout_of(kind: str, path: str, operation_id: str, header: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=SIGN_IN,
        description=f"Ends the access token in {header}, which becomes invalid at once.",
        success="The account that signed out, or null if an API key was sent without a valid token.",
        answer=value_of(nullable(ref(kind)), "The account that signed out; null without a valid token."),
        parameters=(
            Parameter(
                header,
                f"The accessToken from the sign-in of the {kind.lower()}. Default: the token in the query, or "
                f"in a cookie named {header.removeprefix('X-')} from a page on the service's own host.",
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
