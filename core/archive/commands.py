"""Base of the commands that write and read archives: arguments, progress, and messages instead of tracebacks."""

import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from tqdm import tqdm

from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest
from core.archive.new_file import new_file
from core.lib import clock
from core.lib.media_storage import StorageBusy, StorageUnavailable

_STDOUT = "-"
_SHOWN = 20  # file names


class Progress(Protocol):
    """Receiver of progress reports."""

    def begin(self, what: str, total: int | None = None) -> None:
        """Start a new step; `total` is in units of `what`."""

    def advance(self, number: int) -> None:
        """Report `number` more units done."""

    def end(self) -> None:
        """End the last step."""


class Bars:
    """Progress bars on standard error; none if it is no terminal or with `quiet`."""

    def __init__(self, *, quiet: bool = False) -> None:
        # `None` means: no bar unless the output is a terminal.
        self._disable = True if quiet else None
        self._bar: Any = None

    def begin(self, what: str, total: int | None = None) -> None:
        """Leave the previous bar unchanged and begin another below it."""
        self.end()
        scale = what == "bytes"
        self._bar = tqdm(total=total or None, unit=" " + what, unit_scale=scale, disable=self._disable, file=sys.stderr)

    def advance(self, number: int) -> None:
        self._bar.update(number)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class ArchiveCommand(BaseCommand):
    """A command with progress bars that reports expected failures as a sentence without a traceback."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="do not show progress")

    def handle(self, *, quiet: bool, **options: Any) -> None:
        """Raises `CommandError`."""
        progress = Bars(quiet=quiet)
        try:
            self.work(progress, **options)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # of the output, which manage.py expects
            raise
        except OperationalError as error:
            raise CommandError(f"The database reported an error: {error}") from error
        except (OSError, StorageBusy, StorageUnavailable) as error:
            raise CommandError(f"A file cannot be read or written: {error}") from error
        finally:
            progress.end()

    def work(self, *progress: Any, **options: Any) -> None:
        raise NotImplementedError


class ReadingCommand(ArchiveCommand):
    written_by = ""  # the command that writes such archives

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FILE", help=f"a file written by `{self.written_by}`")
        parser.add_argument("--no-media", action="store_true", help="leave out the uploaded files")
        super().add_arguments(parser)

    def warn_of_time_zone(self, manifest: Manifest) -> None:
        if (there := manifest.time_zone) != (here := settings.TIME_ZONE):
            told = (
                f"CMS_TIME_ZONE is {here} here, but was {there[:40]} where the archive was made. Times are not "
                "converted."
            )
            self.stderr.write(self.style.WARNING(told))


class WritingCommand(ArchiveCommand):
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            default="",
            metavar="FILE",
            help="path of the new file, or - for standard output; default: a dated file in the current folder",
        )
        parser.add_argument("--force", action="store_true", help="replace an existing file")
        parser.add_argument("--no-media", action="store_true", help="leave out the uploaded files")
        super().add_arguments(parser)

    def write_to(self, file: str, stem: str, write: Callable[[BinaryIO], str], *, force: bool) -> None:
        """Write the archive and print its summary; `stem` begins the default file name."""
        if file == _STDOUT:
            # The beginning of an archive is written last, so it needs a seekable file.
            with tempfile.TemporaryFile() as target:
                summary = write(target)
                target.seek(0)
                shutil.copyfileobj(target, sys.stdout.buffer)
            self.stderr.write(summary)
            return
        path = Path(file or clock.now().strftime(f"{stem}-%Y%m%d-%H%M%S.tar"))
        with new_file(path, replace=force) as target:
            summary = write(target)
            size = target.tell()
        self.stdout.write(f"{summary} bytes={size} path={path.resolve()}")

    def warn_of_files(self, names: Sequence[str], what: str) -> None:
        for name in names[:_SHOWN]:
            self.stderr.write(f"{name!r} {what}.")
        if len(names) > _SHOWN:
            self.stderr.write(f"The same applies to {len(names) - _SHOWN} more files.")
