"""Removes secrets from log lines and reports, in any spelling."""

import logging
import re
import traceback
from urllib.parse import unquote_plus

from core.lib.key_filter import hide_keys

_HIDDEN = "***"
# Text without any of these holds no secret; most lines need no further search.
_SUSPICIOUS = ("key", "ssk1_", "%", "://", "pass", "pwd", "pepper", "token", "secret", "auth", "cookie", "x-ss", "x_ss")
# Patterns look at each letter a few times at most: clients may send lines of thousands of letters.
_NAMES = (
    r"x[-_]ss[-_][a-z_-]{1,40}|api[-_]?key|passw(?:or)?d|pwd|peppers?|token|secret(?:[-_][a-z_-]{1,40})?"
    r"|access[-_]?key(?:[-_]?id)?"
)
# name: value, name=value, "name": "value", 'HTTP_NAME': 'value', ("name", "value"); values quoted or not.
_NAMED = re.compile(
    rf"""((?:{_NAMES})(?:["']?\s*[:=]|["']\s*,)\s*b?)"""
    r"""(?:(["'])(?:(?!\2)[^\r\n]){0,2000}\2|(["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&}]+)""",
    re.IGNORECASE,
)
# Headers whose whole value is secret.
_WHOLE = re.compile(r"((?:set-)?cookie|authorization)([\"']?\s*[:=]\s*)[^\r\n]*", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<![^\s&?;\"'=])([^\s&?;\"'=]+)=[^&\s\"']+")
_SECRET_NAME = re.compile(rf"[a-z_-]{{0,40}}(?:{_NAMES})", re.IGNORECASE)
_RUN = re.compile(r"[0-9A-Za-z_%]{52,}")  # as long as a key
_CREDENTIALS = re.compile(r"(://)[^\s/@\"']+@")


def hide_secrets(text: str) -> str:
    """Replace keys, tokens, passwords, cookies and credentials in addresses by stars."""
    lower = text.lower()
    for word in _SUSPICIOUS:  # not any(), which takes three times as long
        if word in lower:
            break
    else:
        return text
    text = hide_keys(text)
    if "%" in text:
        text = _RUN.sub(_without_encoded_key, _PARAMETER.sub(_without_value, text))
    text = _CREDENTIALS.sub(rf"\1{_HIDDEN}@", _WHOLE.sub(rf"\1\2{_HIDDEN}", text))
    return _NAMED.sub(_without_named, text)


def is_secret_name(name: object) -> bool:
    return bool(_SECRET_NAME.fullmatch(str(name).strip()))


def _without_named(found: re.Match[str]) -> str:
    quote = found[2] or ""
    return f"{found[1]}{quote or found[3] or ''}{_HIDDEN}{quote}"


def _without_value(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return f"{name}={_HIDDEN}" if "%" in name and is_secret_name(unquote_plus(name)) else parameter[0]


def _without_encoded_key(run: re.Match[str]) -> str:
    if "%" not in run[0]:
        return run[0]
    plain = unquote_plus(run[0])
    return hidden if (hidden := hide_keys(plain)) != plain else run[0]


def format_exception(record: logging.LogRecord) -> str:
    if record.exc_text:
        return hide_secrets(record.exc_text)
    if not record.exc_info:
        return ""
    return hide_secrets("".join(traceback.format_exception(*record.exc_info)).rstrip())


class WithoutSecrets(logging.Filter):
    """Hides secrets in every record; the server logs the whole address of requests that it refuses itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (hidden := hide_secrets(message)) != message:
            record.msg, record.args = hidden, ()
        if record.exc_info:
            record.exc_text = format_exception(record)
        return True
