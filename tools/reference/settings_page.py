"""docs/reference/settings.md: the tables of settings."""

from cms_api.environment import GROUPS
from server.serving import ENVIRONMENT as SERVER
from tools.reference.markdown import as_bytes, from_reference, page, table

_TYPES = {str: "text", list: "list", bool: "flag", int: "integer", float: "number"}
_HEAD = """All settings are environment variables, and all are optional. The service reads them when it starts; a
restart through the API or the admin keeps the environment of the start. Commands read them each time. An invalid
value prevents the start; the message names the variable.

| Type | How to write it |
|---|---|
| text | as is; blank counts as not set |
| integer, number | digits; a number may be `0.5`; blank counts as not set |
| flag | `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`, in any letter case; blank counts as not set |
| list | comma-separated entries, surrounding spaces ignored; blank is an empty list |

`deploy/cms.env.example` is a settings file for [systemd and containers](../deploying.md)."""


def settings_page():
    """The text of the page."""
    head = ("Name", "Type", "Default", "Range", "Meaning")
    parts = (f"## {heading}\n\n{table(head, _rows(group))}" for heading, group in {"Server": SERVER, **GROUPS}.items())
    return page("Settings", _HEAD, *parts)


def _rows(group):
    return [
        (
            f"`{name}`",
            _TYPES[setting.type],
            _default(name, setting.default),
            _range(name, setting),
            from_reference(setting.help),
        )
        for name, setting in group.items()
    ]


def _default(name, value):
    text = ",".join(value) if isinstance(value, list) else str(value)
    in_words = as_bytes(value) if name.endswith("_BYTES") else ""
    shown = f"`{text}`" if text else "empty"
    return f"{shown} ({in_words})" if in_words else shown


def _range(name, setting):
    least, most = (_end(name, number) for number in (setting.least, setting.most))
    return f"{least} to {most}" if most else f"{least} or more" if least else ""


def _end(name, number):
    in_words = as_bytes(number) if name.endswith("_BYTES") and number else ""
    return "" if number is None else in_words or f"{number:,}"
