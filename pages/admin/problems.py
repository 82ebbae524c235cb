"""Errors of the engine, translated from English into the administrator's language."""

import re

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

_SENTENCES = (
    _("%(name)s has no end tag."),
    _("No %(name)s is open here."),
    _("%(name)s is not a known element; it stays in the page as it is."),
    _("%(name)s is not supported and shows nothing."),
    _("%(name)s has no attribute %(attribute)s."),
    _("%(name)s has no attribute %(attribute)s. Did you mean %(known)s?"),
    _("Elements are nested more than %(name)s deep."),
    _("The include %(name)s is missing."),
    _("The include %(name)s includes itself: %(way)s."),
    _("The template has more than %(name)s tags; from here on they stay text."),
    _("The template has more than %(name)s characters; the page ends here."),
    _("A value may not be in a comment of a statement, or where its quotes can be read in two ways."),
    _("Includes are nested more than %(name)s deep."),
    _("Lists are nested more than %(name)s deep."),
    _("The lists of the page have more than %(name)s items."),
    _("The page has more than %(name)s includes."),
    _("The page has more than %(name)s characters."),
    _("The page takes longer than %(name)s seconds."),
)
_PATTERNS = {
    sentence: re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+)", re.escape(sentence)), re.DOTALL)
    for sentence in _SENTENCES
}


def tell_problem(message: str) -> str:
    for sentence, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(message):
            return gettext(sentence) % match.groupdict()
    return message
