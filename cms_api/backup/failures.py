from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import DatabaseError, transaction

from core.lib import clock
from core.notifications.notifying import Subject, notify, responsible_for


@contextmanager
def notifying_of_failure(command: str) -> Iterator[None]:
    """Notify the highest rank if the command fails, once a day."""
    try:
        yield
    except CommandError as error:
        _notify(command, str(error))
        raise
    except Exception as error:
        _notify(command, type(error).__name__)
        raise


def _notify(command: str, reason: str) -> None:
    try:
        with transaction.atomic():
            told = {number: [Subject("", 0, command, note=reason[:500])] for number in responsible_for()}
            notify("backup.failing", told, once=f"{command} fails on {clock.now().date()}")
    except DatabaseError:
        pass  # the command reports the failure itself
