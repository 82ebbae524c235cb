"""Provides the default limits for the document, which must not depend on the settings of one installation."""

from importlib import import_module
from typing import Any

from django.conf import settings


def default_of(name: str) -> Any:
    """Return the default of an environment variable of the service."""
    return import_module(settings.SETTINGS_MODULE).ENVIRONMENT[name].default


def limit_words(name: str) -> str:
    """Return the default and the name for use in a sentence: `1,000 (CMS_MAX_PER_PAGE)`."""
    return f"{default_of(name):,} ({name})"
