"""What jobs can do: apps register each kind of job by its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from cms_api.jobs.run import Run

Report = dict[str, Any]


class JobFailed(Exception):
    """The job cannot be done, for a reason that whoever asked can understand; `place` says where the trouble is.

    Both are put into words for each reader, so they had better be lazy (`words.said`).
    """

    def __init__(self, reason: str | Promise, place: str | Promise = "") -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


@dataclass(frozen=True)
class Kind:
    """Something that jobs do. `do` works in one transaction together with the end of the job: all of it or nothing."""

    name: str  # "transfer.new_site"
    label: str | Promise
    do: Callable[[Run], Report]
    # Shows `report` on the page of the job once it is done.
    template: str
    # Whether the administrator may have it done; asked again when the job begins.
    is_open_to: Callable[[Any], bool]
    # What it does at present, in words, by the steps that it tells.
    steps: Mapping[str, str | Promise] = field(default_factory=dict)
    # What takes long and stores nothing, done before that transaction; `do` finds its answer as `run.prepared`. On
    # SQLite nobody else can write while the transaction is open.
    prepare: Callable[[Run], object] | None = None
    # What a job does, out of its parameters: "Import of news.csv into Harbour".
    title: Callable[[Mapping[str, Any]], str] | None = None
    # Where the same can be asked for again, by whoever asked, once it came to no good end; "" where it cannot.
    again: Callable[[Mapping[str, Any]], str] | None = None
    # Removes those of the files told by `Run.will_store` that belong to nothing now: the job came to no good end.
    remove_files: Callable[[list[str]], object] | None = None

    def told(self, parameters: Mapping[str, Any]) -> str:
        """What a job of these parameters does, in words."""
        try:
            return self.title(parameters) if self.title is not None else str(self.label)
        except KeyError:  # another version of the service has asked for it
            return str(self.label)


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Have jobs of this kind; to be called by `AppConfig.ready`."""
    _kinds[kind.name] = kind


def find(name: str) -> Kind | None:
    """The kind of that name; None if this version of the service has none."""
    return _kinds.get(name)
