"""Keeps what is no fault of ours to one line of the log."""

import logging


class OneLineRefusals(logging.Filter):
    """Takes the traceback from a record of a refused request: whoever raised it meant to refuse.

    Django logs some refusals as errors, a wrong Host for instance, by which a stranger could fill the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log the record. Removes its traceback unless it reports a server error."""
        if record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if record.levelno < logging.ERROR:
            record.exc_info = None
        return logging.getLogger(record.name).isEnabledFor(record.levelno)
