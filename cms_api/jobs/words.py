"""Sentences of reports: kept in every language of the service, so that each reader finds them in their own."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise, lazy

Text = str | Promise
_LANGUAGES = "languages"  # the member of a report that has the sentences in each of them


def _say(words: Callable[..., str], *values: Any) -> str:
    return words(*values)


_said = lazy(_say, str)


def said(words: Callable[..., str], *values: Any) -> Promise:
    """What the function answers to the values in the language of whoever reads it: `said(tell, refusal)`."""
    return _said(words, *values)  # type: ignore[return-value]


def in_every_language(sentences: Mapping[str, Text]) -> dict[str, Any]:
    """Members of a report: the sentences in the present language, and in each one of the service if they differ."""
    present = {name: str(sentence) for name, sentence in sentences.items()}
    languages = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            languages[language] = {name: str(sentence) for name, sentence in sentences.items()}
    return present if all(own == present for own in languages.values()) else {**present, _LANGUAGES: languages}


def in_present_language(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report for whoever reads it now; one without other languages as it is."""
    own: dict[str, str] = report.get(_LANGUAGES, {}).get(translation.get_language() or "", {})
    return {**report, **own}
