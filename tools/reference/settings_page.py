"""docs/reference/settings.md: the tables of settings."""

from cms_api.environment import GROUPS
from server.serving import ENVIRONMENT as SERVER
from tools.reference.markdown import as_bytes, from_reference, page, table

_TYPES = {str: "text", list: "list", bool: "flag", int: "integer", float: "number"}
_HEAD = """All settings are optional environment variables, which the service and commands read at their start; a
restart through the API or the admin does not change them. An invalid value prevents the start.

| Type | How to write it |
|---|---|
| text | literally |
| integer, number | digits; a number may be `0.5` |
| flag | `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`, in any letter case |
| list | comma-separated entries, surrounding spaces ignored; blank is an empty list |

Other blank values count as not set.

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
