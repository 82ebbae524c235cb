"""What apps add to the shared parts: each names it in its module `registrations`, as data that needs no model."""

from functools import cache
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule


@cache
def registered(name: str) -> dict[Any, Any]:
    """The entries of that name of all apps, in the order of INSTALLED_APPS."""
    found: dict[Any, Any] = {}
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "registrations"):
            found |= getattr(import_module(f"{config.name}.registrations"), name, {})
    return found
