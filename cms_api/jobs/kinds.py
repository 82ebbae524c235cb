"""What jobs can do: apps register each kind of job by its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise

if TYPE_CHECKING:
    from cms_api.jobs.running import Run

Report = dict[str, Any]


class JobFailed(Exception):
    """The job cannot be done, for a reason that whoever asked can understand; `place` says where the trouble is."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason, self.place = reason, place


@dataclass(frozen=True)
class Kind:
    """Something that jobs do. `do` works in one transaction together with the end of the job: all of it or nothing."""

    name: str  # "transfer.new_site"
    label: str | Promise
    do: "Callable[[Run], Report]"
    # Shows `report` on the page of the job once it is done.
    template: str
    # Whether the administrator may have it done; asked again when the job begins.
    is_open_to: Callable[[Any], bool]
    # What it does at present, in words, by the steps that it tells.
    steps: Mapping[str, str | Promise] = field(default_factory=dict)
    # Removes those of the files told by `Run.will_store` that belong to nothing now: the job came to no good end.
    remove_files: Callable[[list[str]], object] | None = None


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Have jobs of this kind; to be called by `AppConfig.ready`."""
    _kinds[kind.name] = kind


def find(name: str) -> Kind | None:
    """The kind of that name; None if this version of the service has none."""
    return _kinds.get(name)
