"""What the service itself notes of users (original-behaviour A.26, A.28); clients note theirs by the API."""

from accounts.models import Account, User, UserLog

SIGN_IN, FAILED_SIGN_IN, NEW_PASSWORD = "Sign-in", "Failed sign-in", "New password"
_SUMMARIES = {
    SIGN_IN: "The user signed in.",
    FAILED_SIGN_IN: "The password was wrong, or the account was locked or not approved.",
    NEW_PASSWORD: "The password was changed by somebody who knew the old one.",
}


def note(account: Account, action: str, address: str) -> None:
    """Write an entry when the account is a user; administrators have no log."""
    if isinstance(account, User):
        summary = _SUMMARIES[action]
        UserLog.objects.create(
            user=account, user_name=account.user_name, ip_address=address, action=action, summary=summary
        )
