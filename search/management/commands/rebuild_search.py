from argparse import ArgumentParser
from typing import Any

from core.archive import schema
from core.archive.commands import ArchiveCommand, Progress
from search.following import rebuild
from search.models import SearchEntry
from search.sources import kinds, model_of


class Command(ArchiveCommand):
    help = (
        "Builds the index of words again, while the service runs. Meanwhile, contents are found by their titles only, "
        "and searches of the media library take longer. Works in small transactions; if it is interrupted, the running "
        "servers continue, and the next run begins again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--kind", action="append", choices=kinds(), help="records of this kind; default: all")
        super().add_arguments(parser)

    def work(self, progress: Progress, *, kind: list[str] | None, **options: Any) -> None:
        schema.require_migrated()
        for each in kind or kinds():
            progress.begin(f"records of {each}", model_of(each)._default_manager.count())
            for number in rebuild(each):
                progress.advance(number)
            progress.end()
            self.stdout.write(f"{each}: {SearchEntry.objects.filter(kind=each).count()} entries.")
