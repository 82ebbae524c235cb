"""Kinds of jobs, registered by apps, and their reports: sentences in every language of the service."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise, lazy

from core.jobs.progress import Run

Report = dict[str, Any]
Text = str | Promise
_LANGUAGES = "languages"  # member of a report with the sentences of each language


class JobFailed(Exception):
    """The job cannot be done; `reason` and `place` are shown per reader and so should be lazy (`said`)."""

    def __init__(self, reason: Text, place: Text = "") -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


@dataclass(frozen=True)
class JobKind:
    """A kind of job. `do` runs in one transaction with the job's end: all or nothing."""

    name: str  # "transfer.new_site"
    label: Text
    do: Callable[[Run], Report]
    template: str
    # Permission to have it done; checked again when the job begins.
    is_open_to: Callable[[Any], bool]
    steps: Mapping[str, Text] = field(default_factory=dict)
    # Slow work before the transaction (SQLite has one writer), without changes; `do` gets its result as `run.prepared`.
    prepare: Callable[[Run], object] | None = None
    title: Callable[[Mapping[str, Any]], str] | None = None
    # Address where the same can be ordered again after a failure; "" if it cannot.
    again: Callable[[Mapping[str, Any]], str] | None = None
    # Removes files named by `Run.will_store` that are unused after a failed job.
    remove_files: Callable[[list[str]], object] | None = None

    def told(self, parameters: Mapping[str, Any]) -> str:
        try:
            return self.title(parameters) if self.title is not None else str(self.label)
        except KeyError:  # ordered by another version of the service
            return str(self.label)


_kinds: dict[str, JobKind] = {}


def register(kind: JobKind) -> None:
    _kinds[kind.name] = kind


def find(name: str) -> JobKind | None:
    return _kinds.get(name)


# Lazy result of a function in the reader's language: `said(tell, refusal)`.
said: Callable[..., Promise] = lazy(lambda words, *values: words(*values), str)


def in_every_language(sentences: Mapping[str, Text]) -> dict[str, Any]:
    """Return the sentences in the current language, and in all languages if they differ."""
    present = {name: str(sentence) for name, sentence in sentences.items()}
    languages = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            languages[language] = {name: str(sentence) for name, sentence in sentences.items()}
    return present if all(own == present for own in languages.values()) else {**present, _LANGUAGES: languages}


def in_present_language(report: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, str] = report.get(_LANGUAGES, {}).get(translation.get_language() or "", {})
    return {**report, **own}
