"""Change passwords: one's own, or another account's by an administrator."""

from django.conf import settings
from django.db import transaction
from django.utils.crypto import get_random_string

from accounts import user_log
from accounts.attempts import SignInFailed
from accounts.models import Account, Administrator
from accounts.services import find
from accounts.sign_in import LANE
from accounts.validators import refuse_weak, why_weak
from cms_api import audit
from cms_api.lib.errors import InvalidInput

# Without characters that are easily confused when read aloud.
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 14
_SYMBOLS = "-+#"


def change_password(account: Account, new_password: str, address: str) -> None:
    """Store the new password, if the account still has the one it was read with.

    Access tokens and sessions of the back end end with it. Raises InvalidInput (`password_too_weak`, or SignInFailed
    for all but one of several changes at once) and LimitReached.
    """
    refuse_weak(account, new_password, member="newPassword")
    # The stamp and not the stored form, which a sign-in may have renewed for the same password.
    rows = type(account)._default_manager.filter(pk=account.pk, password_stamp=account.password_stamp)
    LANE.run(account.set_password, new_password)
    columns = ("password", "password_stamp", account.PASSWORD_DATE)
    with transaction.atomic():
        if not rows.update(**{column: getattr(account, column) for column in columns}):
            raise SignInFailed
        user_log.note(account, user_log.NEW_PASSWORD, address)
        audit.note(f"{account._meta.model_name}.password_changed", account)


def give_password(kind: type[Account], account_id: int, password: str) -> None:
    """Give the account another password; sessions and access tokens end, keys stay.

    Raises NotFound, LimitReached, and InvalidInput if the password is weak or was changed in the meantime.
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
