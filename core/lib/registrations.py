"""Entries that apps add to the shared parts, in a module `registrations`, as data that needs no model.

A registry reads the variable of its name from each of these modules: `MENU = {"jobs.Job": MenuItem(…)}`.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from importlib import import_module
from types import UnionType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise
from django.utils.module_loading import module_has_submodule

Text = str | Promise
Key = TypeVar("Key")
Entry = TypeVar("Entry")


class Registry(Generic[Key, Entry]):
    """The entries of all apps under one name."""

    known: ClassVar[dict[str, "Registry[Any, Any]"]] = {}

    def __init__(self, name: str, kind: type[Entry] | UnionType) -> None:
        self.name, self.kind = name, kind
        self.known[name] = self

    @cached_property
    def entries(self) -> dict[Key, Entry]:
        """The entries in the order of INSTALLED_APPS. Raises ImproperlyConfigured if any registration is wrong."""
        return _all_entries().get(self.name, {})


class MenuItem(NamedTuple):
    """A page of records in the menu of the admin: below the chosen site, or in a group of the administration."""

    group: Literal["site", "accounts", "programs", "system"]
    place: int
    title: Text  # below a site, pages of the same title share an entry
    icon: str = ""  # below a site
    view: str = ""  # below a site: page with the id of the site in its address; empty: the list, filtered by site
    changers_of: str = ""  # model: the view is for those who may change its records; empty: for those who may see them


class StartCard(NamedTuple):
    """A page of records on the start page, with a sentence each for those who may view, add or change them."""

    place: int
    icon: str
    title: Text
    viewing: Text
    adding: Text = ""  # empty: that for viewing
    changing: Text = ""


class AdminPage(NamedTuple):
    """A page of the admin other than the pages of records."""

    path: str  # below /admin/
    view: str  # dotted name


class SearchKind(NamedTuple):
    """A kind of results of the admin's search; kinds with the same title share a group."""

    place: int
    title: Text
    icon: str
    find: str  # dotted name of a function: request, text → core.admin.hits.Hit
    correct: str = (
        ""  # dotted name of a function: request, text → text with corrected words that finds something, or None
    )


class PeriodicTask(NamedTuple):
    seconds: float  # between two calls
    function: str  # dotted name; without parameters


class AuditSubject(NamedTuple):
    """A kind of objects in the audit."""

    place: int  # in the filter
    label: Text


class Backlog(NamedTuple):
    """A metric that counts waiting rows."""

    meaning: str
    rows: str  # dotted name of a function that returns a queryset


# Model → its place in the admin.
MENU = Registry[str, MenuItem]("MENU", MenuItem)
CARDS = Registry[str, StartCard]("CARDS", StartCard)
BUTTONS = Registry[str, Text]("BUTTONS", Text)  # label of the button that adds a record
# Name of the URL → page.
ADMIN_PAGES = Registry[str, AdminPage]("ADMIN_PAGES", AdminPage)
# Name → a kind of results of the admin's search.
SEARCHES = Registry[str, SearchKind]("SEARCHES", SearchKind)
# Error code → message for administrators.
ERROR_MESSAGES = Registry[str, Text]("ERROR_MESSAGES", Text)
# Method and path below /api/v1 → summary, as in the README.
SUMMARIES = Registry[tuple[str, str], Text]("SUMMARIES", Text)
# Audit: prefix of actions → kind of object; action → label (docs/audit.md says when each is written), and label of a
# change that locks an account; detail → value → words.
SUBJECTS = Registry[str, AuditSubject]("SUBJECTS", AuditSubject)
ACTIONS = Registry[str, Text]("ACTIONS", Text)
LOCKED = Registry[str, Text]("LOCKED", Text)
DETAIL_VALUES = Registry[str, dict[str, Text]]("DETAIL_VALUES", dict)
# Name → task.
PERIODIC_TASKS = Registry[str, PeriodicTask]("PERIODIC_TASKS", PeriodicTask)
# Name of the metric → backlog.
BACKLOGS = Registry[str, Backlog]("BACKLOGS", Backlog)
# Name → dotted name of a function, called for files of sites whose address has a query (core.uploads.media.Variant).
VARIANTS = Registry[str, str]("VARIANTS", str)
# Name → dotted name of a function: called with the server's log before workers are forked; called in each worker.
SERVER_STARTS = Registry[str, str]("SERVER_STARTS", str)
WORKER_STARTS = Registry[str, str]("WORKER_STARTS", str)


def read_entries() -> dict[str, dict[Any, Any]]:
    """Return the entries of all apps by registry. Raises ImproperlyConfigured for a wrong one."""
    found: dict[str, dict[Any, Any]] = {}
    for config in apps.get_app_configs():
        if config.module is None or not module_has_submodule(config.module, "registrations"):
            continue
        module = import_module(f"{config.name}.registrations")
        for name, entries in vars(module).items():
            if name.isupper() and not name.startswith("_"):
                _add(found, f"{module.__name__}.{name}", name, entries)
    return found


_all_entries = cache(read_entries)


def _add(found: dict[str, dict[Any, Any]], place: str, name: str, entries: Mapping[Any, Any]) -> None:
    if (registry := Registry.known.get(name)) is None:
        raise ImproperlyConfigured(f"{place}: there is no such registry, only {', '.join(sorted(Registry.known))}.")
    for key, entry in entries.items():
        if not isinstance(entry, registry.kind):
            raise ImproperlyConfigured(f"{place}[{key!r}] is not of the type {registry.kind}.")
        if key in found.setdefault(name, {}):
            raise ImproperlyConfigured(f"{place}[{key!r}]: another app has registered this key.")
        found[name][key] = entry
