"""What every source of a whole site yields: one site, its channels, their contents."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.utils.functional import Promise, lazy


def _fill(sentence: str | Promise, values: dict[str, Any]) -> str:
    return str(sentence) % values


# A package is read in threads of its own, which know nothing of the language of whoever has asked.
_lazily = lazy(_fill, str)


def filled(sentence: str | Promise, **values: Any) -> Promise:
    """The sentence with the values at its marks: `filled(_("Site %(number)d"), number=7)`."""
    return _lazily(sentence, values)  # type: ignore[return-value]


def reason_of(error: ValueError) -> str | Promise:
    """The sentence that the error was raised with."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Promise) else str(error)


class PackageError(ValueError):
    """Says in which file, at which element and why a package cannot be imported."""

    def __init__(self, reason: str | Promise, *, file: str = "", element: str = "") -> None:
        super().__init__(reason)
        self._reason, self.file, self.element = reason, file, element

    @property
    def reason(self) -> str:
        """The reason, in the language of whoever reads it."""
        return str(self._reason)

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.file, self.element) if part)
        return f"{place}: {self.reason}" if place else self.reason


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A named group of contents, which may have no content yet."""

    group_name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """The site itself."""

    site_name: str = ""
    site_dir: str = ""
    table_name: str = ""
    is_root: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    content_groups: tuple[GroupRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """One channel; its position is the path of sibling numbers below the home channel, whose own is ()."""

    source_id: int
    position: tuple[int, ...]
    fields: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    # What the package announces; for the progress bar only.
    content_num: int = 0


@dataclass(frozen=True, slots=True)
class ContentRecord:
    """One content; its fields bear the names of the model, `settings` holds the custom fields."""

    source_id: int
    fields: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""


class SitePackage(Protocol):
    """A source of one site that can be read without holding its contents in memory."""

    name: str  # of the file or folder, without the way to it; empty if the site is not imported but made here

    @property
    def site(self) -> SiteRecord:
        """The site itself."""

    def channels(self) -> Iterator[ChannelRecord]:
        """Yield every channel, each parent before its children and siblings in their order."""

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        """Yield the contents of the channel one at a time, in their order."""
