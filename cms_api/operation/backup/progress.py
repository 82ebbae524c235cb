"""How far a command is, for whoever waits, and why its work cannot be done."""

import sys
from argparse import ArgumentParser
from typing import Any, Protocol

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from tqdm import tqdm

from cms_api.lib.media_storage import StorageBusy, StorageUnavailable
from cms_api.operation.backup.faults import BackupFault


class Progress(Protocol):
    """Is told what is being done, and how much of it."""

    def begin(self, what: str, total: int | None = None) -> None:
        """Something else begins; `total` is in units of `what`."""

    def advance(self, number: int) -> None:
        """So much more is done."""

    def end(self) -> None:
        """Nothing more will be told."""


class Bars:
    """Bars on the terminal; nothing where standard error is none, or where nobody wants to see them."""

    def __init__(self, *, quiet: bool = False) -> None:
        # `None` means: no bar where the output is no terminal.
        self._disable = True if quiet else None
        self._bar: Any = None

    def begin(self, what: str, total: int | None = None) -> None:
        """The bar of before stays as it is, a new one begins below it."""
        self.end()
        scale = what == "bytes"
        self._bar = tqdm(total=total or None, unit=" " + what, unit_scale=scale, disable=self._disable, file=sys.stderr)

    def advance(self, number: int) -> None:
        self._bar.update(number)

    def end(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class ProgressCommand(BaseCommand):
    """A command that shows how far it is, and ends with a sentence instead of a trace when its work cannot be done."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *, quiet: bool, **options: Any) -> None:
        """Do the work. Raises CommandError."""
        try:
            self.work(Bars(quiet=quiet), **options)
        except BackupFault as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            raise CommandError(f"The database does not take part: {error}") from error
        except (OSError, StorageBusy, StorageUnavailable) as error:
            raise CommandError(f"A file cannot be read or written: {error}") from error

    def work(self, *progress: Any, **options: Any) -> None:
        """What the command is for, given a Progress and its options."""
        raise NotImplementedError
