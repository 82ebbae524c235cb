"""Sentences with values that are put into a language when somebody reads them.

A package is read in threads of its own, which know nothing of the language of whoever has asked.
"""

from typing import Any

from django.utils.functional import Promise, lazy


def _fill(sentence: str | Promise, values: dict[str, Any]) -> str:
    return str(sentence) % values


_lazily = lazy(_fill, str)


def filled(sentence: str | Promise, **values: Any) -> Promise:
    """The sentence with the values at its marks: `filled(_("Site %(number)d"), number=7)`."""
    return _lazily(sentence, values)  # type: ignore[return-value]


def reason_of(error: ValueError) -> str | Promise:
    """The sentence that the error was raised with."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Promise) else str(error)
