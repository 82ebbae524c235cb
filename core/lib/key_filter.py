"""Hides API keys in messages and logs (core.operation.logs.secrets hides other secrets, too)."""

import re

_KEY = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_PARAMETER = re.compile(r"(api-?key=)[^&\s\"']+", re.IGNORECASE)


def hide_keys(text: str) -> str:
    return _KEY.sub("ssk1_***", _PARAMETER.sub(r"\1***", text))
