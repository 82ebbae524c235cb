"""Keeps what is no fault of ours to one line of the log."""

import logging


class OneLineRefusals(logging.Filter):
    """Takes the traceback from a record of a refused request: whoever raised it meant to refuse."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True, after the record has lost its traceback unless it tells of an error."""
        if record.levelno < logging.ERROR:
            record.exc_info = None
        return True
