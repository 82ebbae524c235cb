"""The interface for pages to read their site. `pages.site_source` implements it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from core.stl.attributes import Attributes

Record = dict[str, Any]
Members = frozenset[str]  # of contents, in wire spelling; members that a list must read of each content


class Listed(NamedTuple):
    """A page of a list, and the number of all records."""

    records: Sequence[Any]  # mostly Record
    total: int


class Tag(NamedTuple):
    name: str
    uses: int


class EntryValue(NamedTuple):
    label: str
    kind: str  # of forms.models.Field.Kind
    texts: Sequence[str]  # several of checkboxes


class EntryRecord(NamedTuple):
    """What everybody may read of an entry of a form. The texts are those of a visitor, not encoded."""

    id: int
    added: datetime
    values: Mapping[str, EntryValue]  # of the listed fields, by their keys in lower case
    reply: str = ""
    replied: datetime | None = None

    def get(self, name: str, default: Any = None) -> Any:
        """Return the default: unlike the members of contents, none selects an item."""
        return default


class FieldRecord(NamedTuple):
    """An input of a form that visitors see."""

    key: str
    label: str
    kind: str  # of forms.models.Field.Kind
    is_required: bool = False
    help_text: str = ""
    choices: Sequence[str] = ()
    default: str = ""
    is_listed: bool = False  # in the public list


class FormRecord(NamedTuple):
    id: int | str
    name: str
    fields: Sequence[FieldRecord]
    is_open: bool = True
    has_times: bool = False  # at which it opens or closes
    has_list: bool = False  # of entries, which is public
    page_size: int = 30  # of the list
    consent: str = ""  # the text that visitors agree to


class CommentRules(NamedTuple):
    """Who may comment on a content, and whether comments need approval."""

    who: str  # Off, Members or Everybody
    are_checked: bool


class Source(Protocol):
    """The records of one site. Values are texts as stored, shaped by the attributes, not encoded.

    All methods may raise ServiceError for attributes that make no sense.
    """

    @property
    def site_id(self) -> int: ...

    @property
    def web_url(self) -> str:
        """The address of the site, without a slash at the end."""

    def resolve(self, address: str) -> str:
        """The address, where `@/` is the folder of the site, and `~/` the top of the service."""

    def site_value(self, name: str, attributes: Attributes) -> str: ...

    def field_kind(self, owner: str, name: str) -> str:
        """The kind of a custom field in lower case, such as "image"; owner is site, channel or content."""

    def home(self) -> Record: ...

    def above(self, channel: Record) -> list[Record]:
        """The channels above, the home channel first."""

    def channel(self, channel_id: int) -> Record | None: ...

    def find_channel(self, start: Record, attributes: Attributes) -> Record:
        """The channel that levels, index and name select, starting from another."""

    def channels(self, channel: Record, attributes: Attributes) -> Listed: ...

    def channel_value(self, channel: Record, name: str, attributes: Attributes) -> str: ...

    def channel_url(self, channel: Record) -> str: ...

    def contents(self, channel: Record, content_id: int, attributes: Attributes, *, is_counted: bool) -> Listed:
        """Approved contents; the total counts only the page unless requested."""

    def read_ahead(self, lists: Sequence[tuple[Record, Attributes]], content_id: int) -> None:
        """Read together the lists that the page will request from `contents`, with the same attributes."""

    def search(self, asked: Attributes, given: Attributes, attributes: Attributes) -> Listed:
        """Approved contents that a visitor searches for, shown as the attributes of the list say; with the total.

        `given` are the attributes of the search in the template; only they may choose any field.
        """

    def content(self, content_id: int) -> Record | None: ...

    def neighbour(self, content: Record, *, is_next: bool) -> Record | None: ...

    def content_value(self, content: Record, name: str, attributes: Attributes) -> str: ...

    def addresses(self, content: Record, name: str) -> list[str]:
        """The address in a member or custom field, and the further ones of the same field."""

    def pictures(self, content: Record) -> Sequence[Record]:
        """The extra pictures of a content, with smallUrl, middleUrl and largeUrl."""

    def count(self, channel: Record, attributes: Attributes) -> str: ...

    def tags(self) -> Sequence[Tag]:
        """The tags of the site, in the order of their first use."""

    def sites(self, attributes: Attributes) -> Sequence["Source"]: ...

    def of_site(self, site_id: int) -> "Source": ...

    def rows(self, attributes: Attributes) -> Listed:
        """The rows of a SELECT."""

    def include(self, path: str) -> str | None:
        """The text of an include file, by its path below the site's folder in any letter case."""

    def form(self, name: str) -> FormRecord | None:
        """The form of the site with the name in any letter case; without one, the newest."""

    def comments(self, content: Record, page: int, size: int) -> Listed:
        """A page of approved comments with `replies`; the number is of comments that are no replies."""

    def comment_rules(self, content: Record) -> CommentRules: ...

    def entries(self, form: FormRecord, attributes: Attributes, *, is_counted: bool) -> Listed:
        """EntryRecords of the form's public list; the total counts only the page unless requested."""
