"""Changes of a password by somebody who knows the old one."""

from django.db import transaction

from accounts import user_log
from accounts.attempts import SignInFailed
from accounts.models import Account
from accounts.sign_in import LANE
from accounts.validators import refuse_weak
from cms_api import audit


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
