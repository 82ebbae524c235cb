"""`manage.py export_site`: a whole site as lines of JSON."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import connection

from cms_api.lib import clock
from cms_api.operation.backup import schema
from cms_api.operation.backup.new_file import new_file
from cms_api.operation.backup.progress import Progress, ProgressCommand
from transfer.whole_site.exporting import Exported, export_site

_STDOUT, _PACKED = "-", ".gz"
_SHOWN = 20


class Command(ProgressCommand):
    help = (
        "Writes a site into one file, a JSON object a line: settings, channels, contents with their bodies, groups, "
        "tags, custom fields, the trash and the uploaded files, as they are at one moment; others may go on writing. "
        "The file is there when it is whole, and its owner alone may read it. The last line of the output tells how "
        "much it holds. Exits with 0, or with 1 when nothing was written. See docs/site-files.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site_id", type=int, metavar="SITE", help="number of the site")
        parser.add_argument(
            "file",
            nargs="?",
            default="",
            metavar="FILE",
            help="a new file, packed if it ends in .gz, by default a dated one in this folder; - for the output",
        )
        parser.add_argument("--force", action="store_true", help="replace a file that is there")
        parser.add_argument("--without-trash", action="store_true", help="leave out what is in the trash")
        super().add_arguments(parser)

    def work(
        self, progress: Progress, *, site_id: int, file: str, force: bool, without_trash: bool, **options: Any
    ) -> None:
        schema.require_migrated(connection)
        with_trash = not without_trash
        if file == _STDOUT:
            exported = export_site(site_id, sys.stdout.buffer, progress, packed=False, with_trash=with_trash)
            self._warn(exported)
            # The standard output is the file.
            self.stderr.write(_summary(site_id, exported))
            return
        path = Path(file or clock.now().strftime(f"site-{site_id}-%Y%m%d-%H%M%S.ndjson.gz"))
        with new_file(path, replace=force) as target:
            packed = path.name.endswith(_PACKED)
            exported = export_site(site_id, target, progress, packed=packed, with_trash=with_trash)
            size = target.tell()
        self._warn(exported)
        self.stdout.write(f"{_summary(site_id, exported)} bytes={size} path={path.resolve()}")

    def _warn(self, exported: Exported) -> None:
        for name in exported.left_out[:_SHOWN]:
            self.stderr.write(f"{name!r} is left out, since a file of a site cannot be called so.")
        if len(exported.left_out) > _SHOWN:
            self.stderr.write(f"The same goes for {len(exported.left_out) - _SHOWN} more.")


def _summary(site_id: int, exported: Exported) -> str:
    return f"siteId={site_id} rows={exported.rows} files={exported.files}"
