"""Keeps API keys out of logs, whoever writes them."""

import logging
import re
import traceback

# A key by its form, and the value of a parameter named like one, whatever its form.
_KEY = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_PARAMETER = re.compile(r"(api-?key=)[^&\s\"']+", re.IGNORECASE)


def hide_keys(text: str) -> str:
    """The text with stars in place of keys."""
    return _KEY.sub("ssk1_***", _PARAMETER.sub(r"\1***", text))


class WithoutKeys(logging.Filter):
    """Hides keys in every record that passes.

    Requests lose the key of their query before Django sees them, but what the server in front refuses
    by itself, such as a malformed header, it logs with the whole address.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """True, after the record is rewritten where it held a key."""
        message = record.getMessage()
        if (hidden := hide_keys(message)) != message:
            record.msg, record.args = hidden, ()
        if record.exc_info and not record.exc_text:
            record.exc_text = hide_keys("".join(traceback.format_exception(*record.exc_info)).rstrip())
        return True
