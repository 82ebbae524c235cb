"""The scope of an element: facts of the page, and the context, which nested elements change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from time import monotonic
from typing import Any, Self
from urllib.parse import urlencode

from pages.engine.nodes import Problem
from pages.engine.source import Record, Source

MAX_PROBLEMS = 100


class Kind(Enum):
    """The type of a context; as with the attribute `context`, in lower case."""

    UNDEFINED = "undefined"
    CONTENT = "content"
    CHANNEL = "channel"
    EACH = "each"
    SQL_CONTENT = "sqlcontent"
    INPUT_CONTENT = "inputcontent"
    SITE = "site"


class TooMuch(Exception):
    """A page exceeds a limit. It is abandoned; an element that fails is only left out."""


@dataclass(frozen=True)
class Limits:
    """Limits for one page."""

    seconds: float = 10.0
    characters: int = 8_000_000
    items: int = 20_000  # of all lists together
    depth: int = 10  # of includes in includes, and of lists in lists
    includes: int = 1_000


@dataclass(frozen=True)
class PageFacts:
    """Facts that hold for the whole page."""

    template_name: str
    template_kind: str  # such as IndexPageTemplate
    channel: Record
    content: Record | None
    url: str  # of the first page
    number: int  # counted from 1
    query: Mapping[str, str]


@dataclass
class Paging:
    """The pages of a list: which one is shown, and the addresses of the others."""

    number: int
    count: int
    total: int
    address: Callable[[int], str]
    records: Any = ()
    first: int = 0  # items on the pages before


class Budget:
    """Counts the resources that a page uses. Its methods raise TooMuch when a limit is exceeded."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._end = limits, monotonic() + limits.seconds
        self._items = self._characters = self._includes = 0
        self.problems: list[Problem] = []
        self.reads_time = False  # whether the page depends on the current time

    def take_item(self, text: str) -> None:
        self._items += 1
        self._characters += len(text)
        if self._items > self._limits.items:
            raise TooMuch(f"The lists of the page have more than {self._limits.items} items.")
        self.check_size(self._characters)
        self._check_time()

    def take_include(self) -> None:
        self._includes += 1
        if self._includes > self._limits.includes:
            raise TooMuch(f"The page has more than {self._limits.includes} includes.")
        self._check_time()

    def _check_time(self) -> None:
        if monotonic() > self._end:
            raise TooMuch(f"The page takes longer than {self._limits.seconds:g} seconds.")

    def check_size(self, characters: int) -> None:
        if characters > self._limits.characters:
            raise TooMuch(f"The page has more than {self._limits.characters} characters.")

    def check_depth(self, depth: int, what: str) -> None:
        if depth > self._limits.depth:
            raise TooMuch(f"{what} are nested more than {self._limits.depth} deep.")

    def report(self, problem: Problem) -> None:
        if len(self.problems) < MAX_PROBLEMS and problem not in self.problems:
            self.problems.append(problem)


@dataclass(frozen=True)
class Scope:
    """The context of an element."""

    page: PageFacts
    budget: Budget
    source: Source
    kind: Kind
    channel: Record
    content: Record | None = None
    item: Any = None  # of `each`, a row of `sqlContents`, or an entry of `inputContents`
    content_index: int = 0  # of the item in the nearest list of contents
    channel_index: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)  # of the include
    paging: Paging | None = None
    includes: Any = None  # finds and compiles include files
    file: str = ""  # the include being rendered
    depth: int = 0

    def within(self, **changes: Any) -> Self:
        return replace(self, **changes)

    @property
    def is_of_content(self) -> bool:
        """Return true if elements are about the content rather than the channel."""
        if self.kind is Kind.UNDEFINED:
            return self.content is not None
        return self.kind is Kind.CONTENT and self.content is not None

    @property
    def index(self) -> int:
        """The number of the item in the nearest list of the records that elements refer to."""
        is_listed = self.is_of_content or self.kind in {Kind.SQL_CONTENT, Kind.INPUT_CONTENT}
        return self.content_index if is_listed else self.channel_index


def numbered(url: str, number: int) -> str:
    """Return the address of a further page: `_n` before the extension."""
    if number <= 1:
        return url
    stem, dot, extension = url.rpartition(".")
    return f"{stem}_{number}.{extension}" if dot and "/" not in extension else f"{url}_{number}"


def with_page(url: str, query: Mapping[str, str], number: int) -> str:
    """Return the address of a page that is a parameter of the query."""
    return f"{url}?{urlencode({**query, 'page': str(number)})}"
