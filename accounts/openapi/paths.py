"""The groups of operations on accounts, the ids in their paths, and what such an id may not lead to."""

from cms_api.openapi.describing import Codes, Parameter
from cms_api.openapi.schemas import ID

USERS, ADMINISTRATORS, SIGN_IN = "Users", "Administrators", "Sign-in"
USER_ID = Parameter("id", "Number of the user, as answers have it in `id`.", ID | {"minimum": 1}, "path")
ADMINISTRATOR_ID = Parameter("id", "Number of the administrator, as answers have it.", ID | {"minimum": 1}, "path")
NO_USER: Codes = {404: ("user_not_found",)}
NO_ADMINISTRATOR: Codes = {404: ("administrator_not_found",)}
