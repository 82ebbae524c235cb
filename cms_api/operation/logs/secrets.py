"""Keeps secrets out of what is written down, whoever writes it and in whatever spelling they come."""

import logging
import re
import traceback
from urllib.parse import unquote_plus

from cms_api.lib.key_filter import hide_keys

_HIDDEN = "***"
# No text without one of these holds a secret: for most lines that is all that has to be looked for.
_SUSPICIOUS = ("key", "ssk1_", "%", "://", "pass", "pwd", "pepper", "token", "secret", "auth", "cookie", "x-ss", "x_ss")
# Every pattern looks at a letter a few times at most: strangers send lines of thousands of them.
_NAMES = (
    r"x[-_]ss[-_][a-z_-]{1,40}|api[-_]?key|passw(?:or)?d|pwd|peppers?|token|secret(?:[-_][a-z_-]{1,40})?"
    r"|access[-_]?key(?:[-_]?id)?"
)
# name: value, name=value, "name": "value", 'HTTP_NAME': 'value', ("name", "value"); the value in quotes or without.
_NAMED = re.compile(
    rf"""((?:{_NAMES})(?:["']?\s*[:=]|["']\s*,)\s*b?)"""
    r"""(?:(["'])(?:(?!\2)[^\r\n]){0,2000}\2|(["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&}]+)""",
    re.IGNORECASE,
)
# Headers of which all that follows is secret.
_WHOLE = re.compile(r"((?:set-)?cookie|authorization)([\"']?\s*[:=]\s*)[^\r\n]*", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<![^\s&?;\"'=])([^\s&?;\"'=]+)=[^&\s\"']+")
_SECRET_NAME = re.compile(rf"[a-z_-]{{0,40}}(?:{_NAMES})", re.IGNORECASE)
_RUN = re.compile(r"[0-9A-Za-z_%]{52,}")  # as long as a key
_CREDENTIALS = re.compile(r"(://)[^\s/@\"']+@")


def hide_secrets(text: str) -> str:
    """The text with stars in place of keys, tokens, passwords, cookies and credentials of addresses."""
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
    """Whether what bears that name is a key, a token or a password."""
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
    """The traceback of a record without secrets; empty where there is none."""
    if record.exc_text:
        return hide_secrets(record.exc_text)
    if not record.exc_info:
        return ""
    return hide_secrets("".join(traceback.format_exception(*record.exc_info)).rstrip())


class WithoutSecrets(logging.Filter):
    """Hides secrets in every record that passes.

    Requests lose the key of their query before Django sees them, but what the server in front refuses
    by itself, such as a malformed header, it logs with the whole address.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """True, after the record is rewritten where it held a secret."""
        message = record.getMessage()
        if (hidden := hide_secrets(message)) != message:
            record.msg, record.args = hidden, ()
        if record.exc_info:
            record.exc_text = format_exception(record)
        return True
