"""What the service itself notes of users (original-behaviour A.26, A.28); clients note theirs by the API."""

import unicodedata
from functools import cache

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from accounts.models import Account, User, UserLog

SIGN_IN, FAILED_SIGN_IN, NEW_PASSWORD = "Sign-in", "Failed sign-in", "New password"
_SUMMARIES = {
    SIGN_IN: "The user signed in.",
    FAILED_SIGN_IN: "The password was wrong, or the account was locked or not approved.",
    NEW_PASSWORD: "The password was changed by somebody who knew the old one.",
}
# The same for people. What is stored and answered is English.
_WORDS: dict[str, str | Promise] = {
    SIGN_IN: pgettext_lazy("user log", "Sign-in"),
    FAILED_SIGN_IN: pgettext_lazy("user log", "Failed sign-in"),
    NEW_PASSWORD: pgettext_lazy("user log", "New password"),
    _SUMMARIES[SIGN_IN]: pgettext_lazy("user log", "The user signed in."),
    _SUMMARIES[FAILED_SIGN_IN]: pgettext_lazy(
        "user log", "The password was wrong, or the account was locked or not approved."
    ),
    _SUMMARIES[NEW_PASSWORD]: pgettext_lazy("user log", "The password was changed by somebody who knew the old one."),
}


def is_reserved(text: str) -> bool:
    """Return true if people would take the text for an action or summary of the service, in any language."""
    return _folded(text) in _reserved()


def _folded(text: str) -> str:
    """Return the letters and digits of the text, in one letter case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


@cache
def _reserved() -> frozenset[str]:
    found = {_folded(text) for text in _WORDS}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found |= {_folded(str(text)) for text in _WORDS.values()}
    return frozenset(found)


def tell(text: str) -> str:
    """An action or summary in the present language; what clients noted is as they wrote it."""
    return str(_WORDS.get(text, text))


def write(user: User | None, user_name: str, action: str, summary: str, address: str) -> UserLog:
    """A new entry; `address` is the client's."""
    return UserLog.objects.create(user=user, user_name=user_name, ip_address=address, action=action, summary=summary)


def note_nobody(address: str) -> None:
    """Write an entry and take it away: the work of a failed sign-in, for an account that there is not."""
    write(None, "", FAILED_SIGN_IN, _SUMMARIES[FAILED_SIGN_IN], address).delete()


def note(account: Account, action: str, address: str) -> None:
    """Write an entry when the account is a user; administrators have no log."""
    if isinstance(account, User):
        write(account, account.user_name, action, _SUMMARIES[action], address)
