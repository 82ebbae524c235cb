"""Keeps API keys out of what is told and written down (cms_api.operation.logs.secrets hides other secrets, too)."""

import re

# A key by its form, and the value of a parameter named like one, whatever its form.
_KEY = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_PARAMETER = re.compile(r"(api-?key=)[^&\s\"']+", re.IGNORECASE)


def hide_keys(text: str) -> str:
    """The text with stars in place of keys."""
    return _KEY.sub("ssk1_***", _PARAMETER.sub(r"\1***", text))
