"""Export and import of contents as tables."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time
from typing import Any, cast

import orjson
from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels_app.admin.channel_filter import ChannelFilter
from channels_app.models import Channel
from channels_app.services import hold_contents
from contents.admin.fields import DATES, label_of_field
from contents.admin.list.channels import ChannelPicker, offer_channels
from contents.flags import MARKS
from contents.models import Content, ContentBody, ContentSchedule, CustomField
from contents.services.approval import levels_of, reach_of
from contents.services.bulk import change_contents, create_contents
from contents.services.labels import GROUPS, TAGS, Names, known_among
from contents.services.moving import Target
from contents.services.schedules import TIMES, Plan, require_possible, schedules_of, store_plans
from contents.storing.batches import BODY_TEXT, LONG, portions
from contents.storing.locking import accepted
from contents.wire.name_list import TYPED_COMMAS, split_names, typed_names
from contents.wire.serializers import ContentSerializer
from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.places import Places
from core.lib import clock
from core.lib.cells import to_text
from core.lib.errors import InvalidInput, ServiceError
from core.lib.folding import is_blank
from core.lib.markup import clean_body, clean_line, clean_lines, clean_name
from core.rest.custom_members import validate_values
from core.rest.fields import DateTimeField
from core.rest.names import to_wire
from core.rest.serializers import Members
from core.tables.columns import Column, MemberReader, read_text
from core.tables.forms import UploadForm
from core.tables.reading import MAX_FILE_BYTES
from core.tables.resource import BATCH, Draft, Reader, TableResource, WrongRow, shortened
from core.tables.views import Choices, Tables
from sites.admin.choosing import choose_site, seen_sites, site_choices
from sites.admin.site_filter import SiteFilter

CUSTOM = "custom:"  # prefix of custom field columns
BODY = "content"
_LABELS = {
    "id": gettext_lazy("ID"),
    "site_id": gettext_lazy("site ID"),
    "channel_id": gettext_lazy("channel ID"),
    "channel_name": gettext_lazy("channel"),
    "publish_at": gettext_lazy("publish on"),
    "unpublish_at": gettext_lazy("unpublish on"),
}
# Headings of tables that earlier versions exported.
_FORMER: dict[str, tuple[str | Promise, ...]] = {
    "id": ("number", "编号"),
    "site_id": ("number of the site",),
    "channel_id": ("number of the channel",),
    "add_date": (gettext_lazy("added"), "date of the content"),
    "is_color": ("coloured",),
    "taxis": (gettext_lazy("order"),),
    "publish_at": ("publish at", "发布时间"),
    "unpublish_at": ("withdraw at",),
}
# Importable columns, in the order editors expect.
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
# Columns not selected by default.
LEFT_OUT = (BODY, "site_id", "checked_level", "taxis", "hits", "add_user_name", *TIMES)
_SERIALIZER = ContentSerializer.field_table()


def content_columns(site_id: int | None = None) -> list[Column]:
    """The columns of contents; for one site including its custom fields."""
    found = []
    hidden = _hidden_times(site_id) if site_id else set()
    for name in ("id", *_READ, *(name for name in TIMES if name not in hidden), *_WRITTEN):
        label = _LABELS.get(name) or label_of_field(name)
        found.append(Column(name, to_wire(name), label, name in _WRITTEN, _FORMER.get(name, ())))
    if site_id:
        fields = CustomField.objects.filter(site_id=site_id, is_offered=True).exclude(name__startswith="check_")
        rows = fields.order_by("taxis", "folded_name").values_list("name", "label")[:100]
        found += [Column(f"{CUSTOM}{name}", name, label or name) for name, label in rows]
    return found


def _hidden_times(site_id: int) -> set[str]:
    """The times of a schedule whose names are custom fields of the site."""
    by_folded = {wire.casefold(): name for name, wire in TIMES.items()}
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=list(by_folded))
    return {by_folded[folded] for folded in rows.values_list("folded_name", flat=True)}


# ---- export


def content_rows(records: QuerySet[Content], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    custom = {name for name in names if name.startswith(CUSTOM)}
    own = sorted({"id", *names} - custom)
    paths = {name: name for name in own} | {BODY: BODY_TEXT, "channel_name": "channel__channel_name"}
    paths |= {name: f"schedule__{name}" for name in TIMES}
    for row in _values(records, [paths[name] for name in own] + (["settings_xml"] if custom else [])):
        members = _custom_members(row["settings_xml"]) if custom else {}
        cells = [members.get(name.casefold(), "") if name in custom else to_text(row[paths[name]]) for name in names]
        yield row["id"], cells


def _values(records: QuerySet[Content], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    texts = [column for column in columns if column in {*LONG, BODY_TEXT}]
    if not texts:
        yield from records.defer(None).values(*columns)
        return
    for portion in portions(list(records.values_list("pk", flat=True)), texts):
        yield from Content.objects.filter(pk__in=portion).order_by("pk").values(*columns)


def _custom_members(settings_xml: str) -> dict[str, str]:
    members: dict[str, Any] = orjson.loads(settings_xml)
    return {
        f"{CUSTOM}{name}".casefold(): orjson.dumps(value).decode() if isinstance(value, dict | list) else to_text(value)
        for name, value in members.items()
    }


# ---- import

_NAMES = {"tags": TAGS, "group_name_collection": GROUPS}


class _NamesReader:
    """Reads names as the form of a content does: Chinese commas separate them, too."""

    def __init__(self, name: str, labels: Names, site_id: int) -> None:
        self._member = MemberReader(_SERIALIZER[name], to_wire(name), self._explain)
        self._labels, self._site_id = labels, site_id

    def __call__(self, cell: str) -> Any:
        """Raises `ValueError` with a sentence."""
        text = read_text(cell)
        if not TYPED_COMMAS.search(text):
            return self._member(text)
        try:
            names = typed_names(text, known_among(self._labels, [self._site_id], text))
        except InvalidInput as refusal:
            raise ValueError(tell(refusal)) from refusal
        return self._member(text if names == split_names(text) else ",".join(names))

    @staticmethod
    def _explain(text: str) -> str:
        return _("A name can have at most 255 characters and no comma.")


class ContentResource(TableResource):
    """Reads contents of one site; new ones go to the channel. `may`: the places of `add`, `change`, final `approve`."""

    def __init__(self, channel: Channel, user_name: str, may: Mapping[str, Places]) -> None:
        columns = content_columns(channel.site_id)
        readers: dict[str, Reader] = {name: MemberReader(_SERIALIZER[name], to_wire(name)) for name in _READ}
        readers |= {name: _NamesReader(name, labels, channel.site_id) for name, labels in _NAMES.items()}
        readers |= {name: MemberReader(DateTimeField(), wire) for name, wire in TIMES.items()}
        readers |= {column.name: read_text for column in columns if column.name.startswith(CUSTOM)}
        super().__init__(columns, readers)
        fields = CustomField.objects.filter(site_id=channel.site_id, kind__in=DATES)
        self._dates = {f"{CUSTOM}{field.name}": field.kind for field in fields}
        self.target = self._channel = channel
        self._user_name = user_name
        self._places = may
        self._new = Content(site_id=channel.site_id, channel=channel)
        self._records: dict[int, Content] = {}
        self._bodies: dict[int, str] = {}  # of some rows from the current one on
        self._portions: Iterator[list[int]] = iter(())
        self._schedules: dict[int, ContentSchedule] = {}
        self._seen: set[int] = set()

    def load(self, rows: list[dict[str, str]]) -> None:
        self._bodies, self._seen = {}, set()
        named = [number for row in rows if (number := read_number(row.get("id", "").strip())) is not None]
        self._records = self._read(sorted(set(named)))
        has_times = bool(rows) and not TIMES.keys().isdisjoint(rows[0])
        self._schedules = schedules_of(self._records) if has_times else {}
        present = [number for number in dict.fromkeys(named) if number in self._records]
        self._portions = portions(present, [BODY_TEXT]) if rows and BODY in rows[0] else iter(())

    def _read(self, numbers: Sequence[int], *, lock: bool = False) -> dict[int, Content]:
        """Contents of the site by id, optionally locked in order of id."""
        found: dict[int, Content] = {}
        for start in range(0, len(numbers), BATCH):
            seen = self._places["add"] | self._places["change"]
            present = seen.narrow(Content.objects.in_site(self._channel.site_id), "site", "channel").order_by("pk")
            present = present.prefetch_related("channel") if seen.branch_ids and not lock else present
            rows = present.filter(pk__in=numbers[start : start + BATCH])
            found |= {content.pk: content for content in (rows.select_for_update() if lock else rows)}
        return found

    def _body_of(self, number: int) -> str:
        while number not in self._bodies and (portion := next(self._portions, None)) is not None:
            found = ContentBody.objects.filter(pk__in=portion).values_list("pk", "text")
            self._bodies = dict.fromkeys(portion, "") | dict(found)
        return self._bodies.get(number, "")

    def find(self, row: dict[str, str]) -> Draft | None:
        """The content with the row's id. Raises WrongRow."""
        text = row.get("id", "").strip()
        if not text:
            return None
        if (number := read_number(text)) is None:
            raise WrongRow(_("Enter a whole number."))
        content = self._records.get(number)
        if content is None:
            raise WrongRow(_("This site has no content item with this ID. Leave the cell empty to add one."))
        if content.pk in self._seen:
            raise WrongRow(_("An earlier row has the same ID."))
        self._seen.add(content.pk)
        before = {name: getattr(content, name) for name in _READ if name != BODY}
        before[BODY] = self._body_of(content.pk)
        before |= {name: getattr(self._schedules.get(content.pk), name, None) for name in TIMES}
        members = _custom_members(content.settings_xml)
        before |= {name: members.get(name.casefold(), "") for name in self.readers if name.startswith(CUSTOM)}
        return Draft(content, before, {})

    def check(self, draft: Draft) -> dict[str, str]:
        found: dict[str, str] = {}
        if is_blank(str(draft.after.get("title", draft.before.get("title", "")))):
            found["title"] = _("Enter a title.")
        changes = draft.changes
        is_new = draft.record is None
        if changes and not self._allows("add" if is_new else "change", draft):
            found["id"] = (
                _("You may not add content items here.") if is_new else _("You may not change content items here.")
            )
        if is_new and self._channel.settings.get("isContentAddable") is False:
            found.setdefault("id", _("The channel does not accept content items."))
        # Adding an unapproved content needs no approval right.
        is_approval = "is_checked" in changes and (changes["is_checked"] or not is_new)
        if is_approval and not self._allows("approve", draft):
            found["is_checked"] = _("You may not approve or unpublish content items here.")
        if draft.record is not None and draft.record.is_checked and changes and not self._allows("approve", draft):
            found.setdefault("id", _("Visitors see this change at once; it needs the right of final approval."))
        found |= self._check_times(draft)
        stored = orjson.loads(draft.record.settings_xml) if draft.record else {}
        try:
            validate_values(_members(draft).unknown, stored, "content")
        except InvalidInput as refusal:
            found[f"{CUSTOM}{refusal.members['member']}"] = tell(refusal)
        return found

    def _allows(self, action: str, draft: Draft) -> bool:
        content = self._new if draft.record is None else draft.record
        return self._places[action].covers(content.site_id, content.channel_path())

    def has_rights_of(self, other: TableResource) -> bool:
        before: Mapping[str, Places] = cast("ContentResource", other)._places
        return all(now | before[action] == now for action, now in self._places.items())

    def _check_times(self, draft: Draft) -> dict[str, str]:
        if not (plan := _plan_of(draft)):
            return {}
        if not self._allows("approve", draft):
            told = _("You may not approve or unpublish content items here.")
            return dict.fromkeys(plan, told)
        is_checked = draft.changes.get("is_checked", draft.record is not None and draft.record.is_checked)
        try:
            require_possible(draft.record and self._schedules.get(draft.record.pk), plan, is_final=is_checked)
        except InvalidInput as refusal:
            return {next(iter(plan)): tell(refusal)}
        return {}

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        """Read the members; cleans texts that differ from the stored ones, and ignores times that have passed."""
        problems = super().read(draft, row)
        for name in TIMES:
            at = draft.after.get(name)
            if at is not None and at != draft.before.get(name) and at <= clock.now():
                del draft.after[name]
                draft.notes[name] = _("This time has passed; it is ignored.")
        for name in self._dates.keys() & draft.changes.keys():
            draft.after[name] = _date_text(self._dates[name], draft.before.get(name, ""), draft.after[name])
        for name in draft.changes if not problems else ():
            text = draft.after.get(name)
            if isinstance(text, str) and text:
                is_long = name == "summary" or name.startswith(CUSTOM)
                clean = clean_body if name == BODY else clean_lines if is_long else clean_line
                try:
                    if name == "title":
                        clean_name(text)
                    cleaned = clean(text)
                    draft.after[name] = self.readers[name](cleaned.text)  # it may have become too long
                except ServiceError as refusal:
                    problems[name] = tell(refusal)
                except ValueError as error:
                    problems[name] = str(error)
                else:
                    if cleaned.removed:
                        told = _("Removed from the text for security reasons: %(names)s.")
                        draft.notes[name] = told % {"names": ", ".join(cleaned.removed)}
        # Keep only the excerpt for the preview: there may be thousands of rows.
        before = draft.before.pop(BODY, None)
        if before is not None and BODY in draft.after:
            if draft.after[BODY] == before:
                del draft.after[BODY]
            else:
                draft.shown[BODY] = shortened(before, draft.after[BODY])
        return problems

    def state_of(self, record: Content) -> str:
        return f"{record.version} {record.channel_id} {record.trashed_at}"

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock site and contents; return drafts whose content has changed since planning. Raises ServiceError."""
        site_id, changed = self._channel.site_id, [draft for draft in drafts if draft.record is not None]
        hold_contents(site_id)
        if len(changed) < len(drafts):
            Target(self._channel.pk).require_open(site_id)
        locked = self._read(sorted(draft.record.pk for draft in changed), lock=True)
        stale = []
        for draft in changed:
            now = locked.get(draft.record.pk)
            if now is None or self.state_of(now) != self.state_of(draft.record):
                stale.append(draft)
            # The locked row, since hits change without a new version.
            draft.record = now or draft.record
        return stale

    def create(self, drafts: Sequence[Draft]) -> None:
        bodies = list(map(_members, drafts))
        made = accepted(create_contents(self._channel.site_id, self._channel.pk, bodies, self._user_name))
        _schedule(made, drafts)

    def change(self, drafts: Sequence[Draft]) -> None:
        changes = [(draft.record, _members(draft)) for draft in drafts]
        _schedule(accepted(change_contents(self._channel.site, changes, self._user_name)), drafts)


def _date_text(kind: str, stored: str, text: str) -> str:
    """Return the cell in its stored form: spreadsheets write dates in their own way."""
    moment = _moment_of(text)
    if moment is None or moment == _moment_of(stored):
        return text if moment is None else stored
    return moment.date().isoformat() if kind == CustomField.Kind.DAY and moment.time() == time() else text


def _moment_of(text: str) -> datetime | None:
    with suppress(ValueError):
        moment: datetime | None = MemberReader(DateTimeField(), "")(text)
        return moment
    return None


def _members(draft: Draft) -> Members:
    changes = draft.changes
    values = {name: value for name, value in changes.items() if not name.startswith(CUSTOM) and name not in TIMES}
    # An empty custom cell of a new content means no value.
    custom = {
        name.removeprefix(CUSTOM): value
        for name, value in changes.items()
        if name.startswith(CUSTOM) and (value or draft.record is not None)
    }
    return Members(values, custom)


def _plan_of(draft: Draft) -> Plan:
    return {name: draft.changes[name] for name in TIMES if name in draft.changes}


def _schedule(contents: Sequence[Content], drafts: Sequence[Draft]) -> None:
    plans = [(content, _plan_of(draft)) for content, draft in zip(contents, drafts, strict=True)]
    if planned := [(content, plan) for content, plan in plans if plan]:
        store_plans(planned)


# ---- pages


class ContentUploadForm(UploadForm):
    channel = forms.TypedChoiceField(
        label=gettext_lazy("Channel for new content items"),
        coerce=int,
        widget=ChannelPicker,
        help_text=gettext_lazy("Content items whose ID is in the file stay in their channel."),
    )
    field_order = ["channel", "file"]

    def __init__(self, site_id: int, places: Places, chosen: int | None, *args: Any) -> None:
        super().__init__(*args)
        offered = offer_channels(self.fields["channel"], [site_id], places, with_closed=True)
        self.fields["channel"].initial = chosen or next(iter(offered), None)


class ContentTables(Tables):
    export_action, import_action = "content.exported", "content.imported"
    import_job = "contents.import"
    export_left_out = LEFT_OUT

    def may_export(self, request: HttpRequest) -> bool:
        return bool(self.page.allows(request, "view"))

    def table_columns(self, request: HttpRequest) -> list[Column]:
        return content_columns(self.exported_site(request))

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        return content_rows(records, names)

    def exported_site(self, request: HttpRequest) -> int | None:
        """The chosen site, the chosen channel's, or the only visible one."""
        places: Places = self.page.seen_places(request.user)
        site = read_number(request.GET.get(SiteFilter.parameter_name))
        channel = read_number(request.GET.get(ChannelFilter.parameter_name))
        if site is None and channel is not None:
            site = Channel.objects.filter(pk=channel).values_list("site_id", flat=True).first()
        if site is None:
            found = list(seen_sites(request, places).values_list("pk", flat=True)[:2])
            site = found[0] if len(found) == 1 else None
        return site if site is None or places.touches_site(site) else None

    @takes_files(MAX_FILE_BYTES)
    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Show the upload form, or the choice of a site if the request names none."""
        if not self.may_import(request):
            raise Http404
        if self.exported_site(request) is None:
            choices = site_choices(request, self._imported_places(request))
            words = gettext_lazy("Import: choose a site")
            return choose_site(self.page, request, words, SiteFilter.parameter_name, choices)
        shown: HttpResponse = super().import_view(request)
        return shown

    def upload_form(self, request: HttpRequest) -> ContentUploadForm:
        chosen = read_number(request.GET.get(ChannelFilter.parameter_name))
        places = self._imported_places(request)
        return ContentUploadForm(self.exported_site(request) or 0, places, chosen, *self._uploaded(request))

    def _imported_places(self, request: HttpRequest) -> Places:
        found: Places = self.page.places(request.user, "add", "change")
        return found

    def import_choices(self, form: Any) -> Choices:
        channel = Channel.objects.select_related("site").get(pk=form.cleaned_data["channel"])
        return {"channel": channel.pk, "site": channel.site_id, "site_name": channel.site.site_name}

    def import_resource(self, request: HttpRequest, choices: Choices) -> ContentResource:
        rows = Channel.objects.live().filter(pk=choices["channel"], site_id=choices["site"])
        channel = self._imported_places(request).narrow(rows, "site", "").first()
        if channel is None:
            raise Http404
        may: dict[str, Places] = {action: self.page.places(request.user, action) for action in ("add", "change")}
        # A table needs the final level, while `allows` checks only the first.
        may["approve"] = reach_of(request.user).finishing(levels_of([channel.site_id])[channel.site_id])
        resource = ContentResource(channel, request.user.get_username(), may)
        chosen = {SiteFilter.parameter_name: channel.site_id, ChannelFilter.parameter_name: channel.pk}
        resource.list_query = f"?{urlencode(chosen)}"
        return resource
