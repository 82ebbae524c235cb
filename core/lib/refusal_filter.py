import logging


class OneLineRefusals(logging.Filter):
    """Removes the traceback from records of refused requests, so that strangers cannot fill the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        if record.levelno < logging.ERROR:
            record.exc_info = None
        return logging.getLogger(record.name).isEnabledFor(record.levelno)
