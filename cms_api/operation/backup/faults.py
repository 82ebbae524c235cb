"""What can be wrong with a backup, as sentences for whoever runs the commands."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.core.management.base import CommandError
from django.db import OperationalError

from cms_api.lib.media_storage import StorageBusy, StorageUnavailable

_P = ParamSpec("_P")


class BackupFault(Exception):
    """The work cannot be done; the text says why. Nothing has been changed unless it says so."""


class Damaged(BackupFault):
    """The archive is not as it was written."""


def told_by_commands(handle: Callable[_P, None]) -> Callable[_P, None]:
    """Let a command end with a sentence instead of a trace when its work cannot be done."""

    @wraps(handle)
    def telling(*arguments: _P.args, **options: _P.kwargs) -> None:
        try:
            handle(*arguments, **options)
        except BackupFault as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            raise CommandError(f"The database does not take part: {error}") from error
        except (OSError, StorageBusy, StorageUnavailable) as error:
            raise CommandError(f"A file cannot be read or written: {error}") from error

    return telling
