"""Contents as rows of tables: which columns there are, how they are written, and how they are read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from channels_app.models import Channel
from channels_app.services import hold_contents
from cms_api.admin.numbers import read_number
from cms_api.admin.refusals import tell
from cms_api.lib.cells import to_text
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.cleaning import clean_body
from cms_api.rest.custom_members import refuse_values
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import Members
from cms_api.tables.columns import Column
from cms_api.tables.resource import BATCH, Draft, Reader, TableResource, WrongRow, shortened
from cms_api.tables.values import MemberReader, read_text
from contents.flags import MARKS
from contents.models import Content, ContentBody, CustomField
from contents.services.bulk import change_contents, create_contents
from contents.services.moving import require_open_channel
from contents.storing.batches import BODY_TEXT, LONG, portions
from contents.wire.serializers import ContentSerializer

CUSTOM = "custom:"  # before the name of a custom field
BODY = "content"
_LABELS = {
    "id": gettext_lazy("number"),
    "site_id": gettext_lazy("number of the site"),
    "channel_id": gettext_lazy("number of the channel"),
    "channel_name": gettext_lazy("channel"),
    BODY: gettext_lazy("body"),
    "group_name_collection": pgettext_lazy("of contents", "groups"),
}
# Read from tables; the first ones are what editors look for first.
_READ = (
    *("title", "sub_title", "summary", BODY, "author", "source", "tags", "group_name_collection"),
    *MARKS,
    "is_checked",
    "add_date",
    *("link_url", "image_url", "video_url", "file_url"),
)
_WRITTEN = (
    *("channel_id", "channel_name", "site_id", "checked_level", "taxis", "hits"),
    *("add_user_name", "last_edit_user_name", "last_edit_date"),
)
# Not ticked at first: bodies are long, and the rest are figures.
LEFT_OUT = (BODY, "site_id", "checked_level", "taxis", "hits", "add_user_name")
# Columns that only whoever may approve contents changes.
_APPROVALS = frozenset({"is_checked"})
_SERIALIZER = ContentSerializer.field_table()


def content_columns(site_id: int | None = None) -> list[Column]:
    """The columns of contents; those of one site have its custom fields, too."""
    found = [
        _column("id", False),
        *(_column(name, False) for name in _READ),
        *(_column(name, True) for name in _WRITTEN),
    ]
    return found + (_custom_columns(site_id) if site_id else [])


def _column(name: str, is_read_only: bool) -> Column:
    label = _LABELS.get(name) or Content._meta.get_field(name).verbose_name  # type: ignore[union-attr]
    return Column(name, to_wire(name), label, is_read_only)


def _custom_columns(site_id: int) -> list[Column]:
    fields = CustomField.objects.filter(site_id=site_id, is_offered=True).exclude(name__startswith="check_")
    rows = fields.order_by("taxis", "folded_name").values_list("name", "label")[:100]
    return [Column(f"{CUSTOM}{name}", name, label or name) for name, label in rows]


# ---- writing


def content_rows(records: QuerySet[Content], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of each content."""
    wanted = {"id", *names}
    own = [name for name in wanted if not name.startswith(CUSTOM) and name not in {BODY, "channel_name"}]
    paths = {**{name: name for name in own}, BODY: BODY_TEXT, "channel_name": "channel__channel_name"}
    custom = [name for name in names if name.startswith(CUSTOM)]
    columns = [paths[name] for name in sorted(wanted - set(custom))] + (["settings_xml"] if custom else [])
    for row in _values(records, list(dict.fromkeys(columns))):
        members = _custom_members(row["settings_xml"]) if custom else {}
        cells = [members.get(name.casefold(), "") if name in custom else to_text(row[paths[name]]) for name in names]
        yield row["id"], cells


def _values(records: QuerySet[Content], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The columns of each record; texts that may be long are read a few at a time."""
    texts = [column for column in columns if column in {*LONG, BODY_TEXT}]
    if not texts:
        yield from records.defer(None).values(*columns)
        return
    for portion in portions(list(records.values_list("pk", flat=True)), texts):
        yield from Content.objects.filter(pk__in=portion).order_by("pk").values(*columns)


def _custom_members(settings_xml: str) -> dict[str, str]:
    members: dict[str, Any] = orjson.loads(settings_xml)
    return {f"{CUSTOM}{name}".casefold(): _custom_text(value) for name, value in members.items()}


def _custom_text(value: Any) -> str:
    return to_text(value) if not isinstance(value, dict | list) else orjson.dumps(value).decode()


# ---- reading


class ContentResource(TableResource):
    """Reads contents of one site; new ones go to the channel.

    `rights` tells whether the administrator may `add` and `change` contents there, and `approve` them for good.
    """

    def __init__(self, channel: Channel, user_name: str, rights: Mapping[str, bool]) -> None:
        columns = content_columns(channel.site_id)
        readers: dict[str, Reader] = {name: _reader(name) for name in _READ}
        readers |= {name: _reader(name, _wrong_names) for name in ("tags", "group_name_collection")}
        readers |= {column.name: read_text for column in columns if column.name.startswith(CUSTOM)}
        super().__init__(columns, readers)
        self.target = self._channel = channel
        self._user_name = user_name
        self._may = rights
        self._records: dict[int, Content] = {}
        self._bodies: dict[int, str] = {}  # of some rows from the present one on
        self._portions: Iterator[list[int]] = iter(())
        self._seen: set[int] = set()
        self._reads_body = False

    def load(self, rows: list[dict[str, str]]) -> None:
        """Read the contents by their numbers."""
        self._records, self._bodies, self._seen = {}, {}, set()
        self._reads_body = any(BODY in row for row in rows[:1])
        named = [number for row in rows if (number := read_number(row.get("id", "").strip())) is not None]
        numbers = sorted(set(named))
        self._records = self._read(numbers)
        if self._reads_body:
            present = [number for number in dict.fromkeys(named) if number in self._records]
            self._portions = portions(present, [BODY_TEXT])

    def _read(self, numbers: Sequence[int], *, lock: bool = False) -> dict[int, Content]:
        """The contents of the site by number; locked in the order of numbers if asked."""
        found: dict[int, Content] = {}
        for start in range(0, len(numbers), BATCH):
            rows = Content.objects.in_site(self._channel.site_id).filter(pk__in=numbers[start : start + BATCH])
            ordered = rows.order_by("pk")
            found |= {content.pk: content for content in (ordered.select_for_update() if lock else ordered)}
        return found

    def _body_of(self, number: int) -> str:
        """The body, read with those of the rows that follow; bodies of earlier rows are let go."""
        while number not in self._bodies and (portion := next(self._portions, None)) is not None:
            found = ContentBody.objects.filter(pk__in=portion).values_list("pk", "text")
            self._bodies = dict.fromkeys(portion, "") | dict(found)
        return self._bodies.get(number, "")

    def find(self, row: dict[str, str]) -> Draft | None:
        """The content of the row's number. Raises WrongRow."""
        text = row.get("id", "").strip()
        if not text:
            return None
        if (number := read_number(text)) is None:
            raise WrongRow(_("Write a whole number."))
        content = self._records.get(number)
        if content is None:
            raise WrongRow(_("This site has no content of this number. Leave it empty for a new one."))
        if content.pk in self._seen:
            raise WrongRow(_("The number stands in an earlier row, too."))
        self._seen.add(content.pk)
        before = {name: getattr(content, name) for name in _READ if name != BODY}
        before[BODY] = self._body_of(content.pk) if self._reads_body else ""
        members = _custom_members(content.settings_xml)
        before |= {name: members.get(name.casefold(), "") for name in self.readers if name.startswith(CUSTOM)}
        return Draft(content, before, {})

    def check(self, draft: Draft) -> dict[str, str]:
        """What the services would refuse, and what the administrator may not do."""
        found: dict[str, str] = {}
        if not str(draft.after.get("title", draft.before.get("title", ""))).strip():
            found["title"] = _("A content needs a title.")
        changes = draft.changes
        act = "change" if draft.record is not None else "add"
        if changes and not self._may[act]:
            found["id"] = (
                _("You may not change contents here.") if draft.record else _("You may not add contents here.")
            )
        if draft.record is None and self._channel.settings.get("isContentAddable") is False:
            found.setdefault("id", _("The channel takes no contents."))
        # A new content that is not approved needs no right.
        is_approval = any(changes[name] or draft.record is not None for name in _APPROVALS & changes.keys())
        if is_approval and not self._may["approve"]:
            found["is_checked"] = _("You may not approve contents here, nor take an approval back.")
        return found | self._custom_problems(draft)

    def _custom_problems(self, draft: Draft) -> dict[str, str]:
        stored = orjson.loads(draft.record.settings_xml) if draft.record else {}
        try:
            refuse_values(_members(draft).unknown, stored, "content")
        except InvalidInput as refusal:
            return {f"{CUSTOM}{refusal.members['member']}": tell(refusal)}
        return {}

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        """Read the members; a body that is another than the stored one is cleaned."""
        problems = super().read(draft, row)
        if not problems and BODY in draft.changes and (problem := _clean_body(draft)):
            problems[BODY] = problem
        _let_go(draft)
        return problems

    def state_of(self, record: Content) -> str:
        """The version, which every change raises, and the channel."""
        return f"{record.version} {record.channel_id} {record.trashed_at}"

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Hold the site and lock the contents; another version is not what was planned. Raises a ServiceError."""
        site_id, changed = self._channel.site_id, [draft for draft in drafts if draft.record is not None]
        hold_contents(site_id)
        if len(changed) < len(drafts):
            require_open_channel(site_id, self._channel.pk)
        locked = self._read(sorted(draft.record.pk for draft in changed), lock=True)
        stale = [draft for draft in changed if not self._is_as_planned(draft, locked.get(draft.record.pk))]
        for draft in changed:
            # As it is stored now: hits are counted without a version.
            draft.record = locked.get(draft.record.pk, draft.record)
        return stale

    def _is_as_planned(self, draft: Draft, now: Content | None) -> bool:
        return now is not None and self.state_of(now) == self.state_of(draft.record)

    def create(self, drafts: Sequence[Draft]) -> None:
        create_contents(self._channel.site_id, self._channel.pk, map(_members, drafts), self._user_name)

    def change(self, drafts: Sequence[Draft]) -> None:
        changes = [(draft.record, _members(draft)) for draft in drafts]
        change_contents(self._channel.site, changes, self._user_name)


def _members(draft: Draft) -> Members:
    changes = draft.changes
    values = {name: value for name, value in changes.items() if not name.startswith(CUSTOM)}
    # An empty custom cell of a new content is none.
    custom = {
        name.removeprefix(CUSTOM): value
        for name, value in changes.items()
        if name.startswith(CUSTOM) and (value or draft.record is not None)
    }
    return Members(values, custom)


def _reader(name: str, *explain: Callable[[str], str]) -> MemberReader:
    return MemberReader(_SERIALIZER[name], to_wire(name), *explain)


def _wrong_names(_text: str) -> str:
    return _("A name has at most 255 characters and no comma.")


def _let_go(draft: Draft) -> None:
    """Keep of the body before no more than what the preview shows: there may be thousands of rows."""
    before = draft.before.pop(BODY, None)
    if before is None or BODY not in draft.after:
        return
    if draft.after[BODY] == before:
        del draft.after[BODY]
    else:
        draft.shown[BODY] = shortened(before, draft.after[BODY])


def _clean_body(draft: Draft) -> str:
    """Clean the draft's body as that of an editor; why it cannot be cleaned, if so."""
    try:
        draft.after[BODY] = clean_body(draft.after[BODY]).text
    except ServiceError as refusal:
        return tell(refusal)
    return ""
