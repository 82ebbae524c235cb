"""Records that every source of a site yields."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.utils.functional import Promise, lazy

from core.archive.errors import ArchiveError
from pages.models import TemplateKind


def _fill(sentence: str | Promise, values: dict[str, Any]) -> str:
    return str(sentence) % values


# Evaluated late: packages are read in threads, without the user's language.
_lazily = lazy(_fill, str)


def filled(sentence: str | Promise, **values: Any) -> Promise:
    """The sentence with its placeholders filled: `filled(_("Site %(number)d"), number=7)`."""
    return _lazily(sentence, values)  # type: ignore[return-value]


def reason_of(error: ValueError) -> str | Promise:
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Promise) else str(error)


class PackageError(ArchiveError, ValueError):
    """Why a package cannot be imported, with file and element."""

    def __init__(self, reason: str | Promise, *, file: str = "", element: str = "") -> None:
        super().__init__(reason)
        self._reason, self.file, self.element = reason, file, element

    @property
    def reason(self) -> str:
        return str(self._reason)

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.file, self.element) if part)
        return f"{place}: {self.reason}" if place else self.reason


def template_key(kind: str, name: str) -> tuple[str, str]:
    """Names of templates are compared in any letter case and without blanks around them."""
    return kind, name.strip().casefold()


@dataclass(frozen=True, slots=True)
class GroupRecord:
    group_name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class TemplateRecord:
    """A template of pages or an include; fields by model name."""

    fields: dict[str, Any]
    origin: str = ""


@dataclass(frozen=True, slots=True)
class FieldRecord:
    """The kind of a custom field; fields by model name."""

    fields: dict[str, Any]
    origin: str = ""


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """What a visitor has sent, by model name; the values are by folded key of the field."""

    fields: dict[str, Any]
    values: dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class FormRecord:
    """A form with its fields in order, all by model name. Entries are personal data, read only if asked for."""

    fields: dict[str, Any]
    inputs: tuple[dict[str, Any], ...]
    entries: Callable[[], Iterator[EntryRecord]] = lambda: iter(())
    channel: tuple[int, ...] | None = None  # its position


@dataclass(frozen=True, slots=True)
class SiteRecord:
    site_name: str = ""
    site_dir: str = ""
    table_name: str = ""
    is_root: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    content_groups: tuple[GroupRecord, ...] = ()
    templates: tuple[TemplateRecord, ...] = ()
    field_definitions: tuple[FieldRecord, ...] = ()
    forms: tuple[FormRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """A channel; its position is the path of sibling numbers below the home channel, which is ()."""

    source_id: int
    position: tuple[int, ...]
    fields: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    # As announced by the package; for progress only.
    content_num: int = 0
    # Names of the templates of its page and of its contents' pages; empty for the defaults.
    channel_template: str = ""
    content_template: str = ""

    @property
    def templates(self) -> dict[str, tuple[str, str]]:
        """The kinds and names of its own templates, by the column that has the template's id."""
        named = {
            "channel_template_id": (TemplateKind.CHANNEL.value, self.channel_template),
            "content_template_id": (TemplateKind.CONTENT.value, self.content_template),
        }
        return {column: (kind, name.strip()) for column, (kind, name) in named.items() if name.strip()}


@dataclass(frozen=True, slots=True)
class ContentRecord:
    """A content: fields by model name, custom fields in `settings`."""

    source_id: int
    fields: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    pictures: tuple[dict[str, Any], ...] = ()


class SitePackage(Protocol):
    """A site that can be read without holding its contents in memory."""

    name: str  # file or folder name; empty if the site is created, not imported

    @property
    def site(self) -> SiteRecord:
        """The site's own record."""

    def channels(self) -> Iterator[ChannelRecord]:
        """Yield all channels, parents before children and siblings in order."""

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        """Yield the channel's contents one at a time, in order."""
