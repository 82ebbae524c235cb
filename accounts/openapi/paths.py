from core.openapi.describing import Codes, Parameter
from core.openapi.schemas import ID

USERS, ADMINISTRATORS, SIGN_IN = "Users", "Administrators", "Sign-in"
USER_ID = Parameter("id", "Id of the user.", ID | {"minimum": 1}, "path")
ADMINISTRATOR_ID = Parameter("id", "Id of the administrator.", ID | {"minimum": 1}, "path")
NO_USER: Codes = {404: ("user_not_found",)}
NO_ADMINISTRATOR: Codes = {404: ("administrator_not_found",)}
