"""Entries that the service itself writes to users' logs; clients write theirs through the API."""

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
# Translations for the admin; stored texts and responses are English.
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
    """Return true if the text could be mistaken for an action or summary of the service, in any language."""
    return _folded(text) in _reserved()


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


@cache
def _reserved() -> frozenset[str]:
    found = {_folded(text) for text in _WORDS}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found |= {_folded(str(text)) for text in _WORDS.values()}
    return frozenset(found)


def tell(text: str) -> str:
    """Translate an action or summary of the service; return a client's text unchanged."""
    return str(_WORDS.get(text, text))


def write(user: User | None, user_name: str, action: str, summary: str, address: str) -> UserLog:
    return UserLog.objects.create(user=user, user_name=user_name, ip_address=address, action=action, summary=summary)


def record_unknown_account(address: str) -> None:
    """Write and delete an entry, so that an unknown account costs as much as a failed sign-in."""
    write(None, "", FAILED_SIGN_IN, _SUMMARIES[FAILED_SIGN_IN], address).delete()


def note(account: Account, action: str, address: str) -> None:
    """Write an entry if the account is a user; administrators have no log."""
    if isinstance(account, User):
        write(account, account.user_name, action, _SUMMARIES[action], address)
