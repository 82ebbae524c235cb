"""Limits that the operator can set, as they are unless set: the document does not depend on where it is made."""

from importlib import import_module
from typing import Any

from django.conf import settings


def default_of(name: str) -> Any:
    """The default of an environment variable of the service."""
    return import_module(settings.SETTINGS_MODULE).ENVIRONMENT[name][1]


def limit_words(name: str) -> str:
    """For a sentence: `1,000 (CMS_MAX_PER_PAGE)`."""
    return f"{default_of(name):,} ({name})"
