"""docs/reference/settings.md: names, kinds and defaults as the code has them, meanings as the README tells them."""

import re

from cms_api import settings
from cms_api.operation.serving.environment import ENVIRONMENT as SERVER
from tests.reference.markdown import as_bytes, from_reference, page, table
from tests.reference.readme import table_of

_KINDS = {str: "text", list: "list", bool: "flag", int: "whole number", float: "number"}
# The first that fits a name has it.
_GROUPS = (
    ("Server", "PORT|CMS_(BIND_HOST|WORKERS|THREADS|CLIENT_|MAX_QUEUE|RESTART_|NODE_NAME)"),
    ("Database, cache and secrets", "CMS_(DATA_DIR|DATABASE_|REPLICA_|CACHE_|SECRET_KEY|PASSWORD_PEPPERS)"),
    ("Reach", "CMS_(SECURE|ALLOWED_HOSTS|CORS_|TRUSTED_PROXIES|EXPLORER|DEBUG|TIME_ZONE)"),
    ("Requests and lists", "CMS_(MAX_|KEY_|STATEMENT_|TREE_|IDEMPOTENCY_)"),
    ("The SQL endpoint", "CMS_SQL_"),
    ("Passwords and sign-in", "CMS_(PASSWORD_|LOCKOUT|LOGIN_|SESSION_)"),
    ("Pictures, files and bodies", "CMS_(MEDIA_|AVATAR_|PICTURE_|EMBED_|CLEAN_)"),
    ("The back end's work", "CMS_(JOBS_|PACKAGE_|IMPORT_)"),
    ("How long things are kept", "CMS_(TRASH_|AUDIT_|HISTORY_)"),
    ("Watching", "CMS_(LOG_|SLOW_|SENTRY_|METRICS|MIN_FREE_)"),
    ("Other", ""),
)
_HEAD = """Environment variables; all are optional. They are read when the service starts: a change counts from the
next start of the service on (after a restart through the API or the back end it still has the environment that it was
started with), and for commands at once. A value that cannot be read ends the start with a sentence that names the
variable.

| Kind | How it is written |
|---|---|
| text | as it is; a blank one counts as not set |
| whole number, number | digits, `0.5` where the kind is number; a blank one counts as not set |
| flag | `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`, in any letter case; a blank one counts as not set |
| list | entries with commas between them, blanks around an entry left out; a blank one is an empty list |

`deploy/cms.env.example` is a file of settings for [systemd and containers](../deploying.md)."""


def settings_page():
    """The text of the page."""
    meanings = {name.strip("`"): from_reference(meaning) for name, _, meaning in table_of("Settings")}
    kinds = {name: kind for name, (kind, _) in settings.ENVIRONMENT.items()}
    defaults = {name: default for name, (_, default) in settings.ENVIRONMENT.items()} | SERVER
    kinds |= {name: int if default.isdigit() else str for name, default in SERVER.items()}
    groups = {heading: [] for heading, _ in _GROUPS}
    for name, meaning in meanings.items():
        row = (f"`{name}`", _KINDS[kinds[name]], _default(name, defaults[name]), meaning)
        groups[_group(name)].append(row)
    head = ("Name", "Kind", "Default", "Meaning")
    parts = (f"## {heading}\n\n{table(head, rows)}" for heading, rows in groups.items() if rows)
    return page("Settings", _HEAD, *parts)


def _group(name):
    return next(heading for heading, pattern in _GROUPS if re.match(pattern, name))


def _default(name, value):
    text = ",".join(value) if isinstance(value, list) else str(value)
    in_words = as_bytes(value) if name.endswith("_BYTES") else ""
    shown = f"`{text}`" if text else "empty"
    return f"{shown} ({in_words})" if in_words else shown
