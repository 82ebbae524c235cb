"""Passwords that administrators give to others, typed or drawn."""

from django.conf import settings
from django.utils.crypto import get_random_string

from accounts.attempts import SignInFailed
from accounts.models import Account, Administrator
from accounts.password_changes import change_password
from accounts.services import find
from accounts.validators import why_weak
from cms_api.lib.errors import InvalidInput

# Without those that are taken for one another when somebody reads them out.
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 14
_SYMBOLS = "-+#"


def give_password(kind: type[Account], account_id: int, password: str) -> None:
    """Give the account another password; sessions and access tokens end, keys stay.

    Raises NotFound, LimitReached, and InvalidInput for a weak password or when it was changed meanwhile.
    """
    try:
        change_password(find(kind, account_id), password, "")
    except SignInFailed as error:
        message = "The password was changed by somebody else meanwhile."
        raise InvalidInput("password_changed_meanwhile", message, member="password") from error


def draw_password() -> str:
    """Generate a random password that satisfies the rules for administrators and users."""
    length = max(_LENGTH, settings.CMS_PASSWORD_MIN_LENGTH, settings.CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH)
    while True:
        password = get_random_string(length - 1, _LETTERS) + get_random_string(1, _SYMBOLS)
        if not why_weak(Administrator(), password):  # one in ten has no digit
            return password
