"""Entries that apps add to the shared parts, in a module `registrations`, as data that needs no model."""

from functools import cache
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule


@cache
def registered(name: str) -> dict[Any, Any]:
    """Return the entries of that name from all apps, in the order of INSTALLED_APPS."""
    found: dict[Any, Any] = {}
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "registrations"):
            found |= getattr(import_module(f"{config.name}.registrations"), name, {})
    return found
