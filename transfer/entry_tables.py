"""Entries of a form in a CSV or XLSX table, as SiteServer and this service export them."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from core import audit
from core.admin.places import places_of
from core.jobs import folders
from core.jobs.kinds import JobFailed, JobKind, Report, said
from core.jobs.progress import Run
from core.tables.columns import Column, match
from core.tables.reading import Table, read_table
from forms.models import Entry, Form
from transfer.form_records import entry_record
from transfer.form_versions import is_true, moment_of
from transfer.form_writers import entries_of, fields_of
from transfer.notes import first_of
from transfer.package import EntryRecord, FormRecord

SHORT = 1000  # rows that are stored within the request
NO_FIELD = gettext_noop("Columns of the table are no field of the form; they are left out")
IS_SPAM = gettext_noop("Rows are spam; they are left out")
NO_DATE = gettext_noop("Dates of rows cannot be read; the entries get the present time")
_AT_A_TIME = 500


def _label(name: str) -> Any:
    column: Any = Entry._meta.get_field(name)
    return column.verbose_name


# Besides fields, in exports of this service and of SiteServer; the last ones are left out.
_OWN = (
    Column(
        "created_at",
        "createdAt",
        _label("created_at"),
        former=("添加时间", "提交时间", "创建时间", "AddDate", "CreatedDate"),
    ),
    Column("is_replied", "isReplied", "是否回复"),
    Column("replied_at", "repliedAt", _label("replied_at"), former=("回复时间", "ReplyDate")),
    Column("reply", "reply", _label("reply"), former=("回复内容", "ReplyContent")),
    Column("state", "state", _label("state"), former=("序号", "编号", "Id", "Guid")),
    Column("page", "page", _label("page")),
    Column("consent", "consent", _label("consent")),
    Column("repliedBy", "repliedBy", _label("replied_by")),
)
_FIELD = "field "
_YES = {"是", "已回复", "yes"}


class Counted(NamedTuple):
    new: int
    known: int  # rows that are an entry already


class EntryTable:
    """The rows of a table as entries of the form; `notes` gets what was left out, while they are read."""

    def __init__(self, form: Form, data: bytes) -> None:
        """Raises ValidationError for a file that cannot be read, or without a column of the form."""
        self._form, self._zone = form, ZoneInfo(settings.TIME_ZONE)
        self.notes: dict[str, dict[str, None]] = {}
        fields = list(form.fields.all())
        names = ("key", "kind", "is_visible")
        inputs = tuple({name: getattr(field, name) for name in names} for field in fields)
        self._record = FormRecord({"name": form.name}, inputs)
        self._table: Table = read_table(data)
        columns = [*(Column(_FIELD + field.folded_key, field.key, field.label) for field in fields), *_OWN]
        self._names = match(self._table.headings, columns)
        for heading, name in zip(self._table.headings, self._names, strict=True):
            if heading.strip() and not name:
                self._tell(NO_FIELD, heading)
        if not any(name.startswith(_FIELD) for name in self._names):
            raise ValidationError(_("No column of the table has the name or label of a field of this form."))

    @property
    def rows(self) -> int:
        return len(self._table.rows)

    def entries(self) -> Iterator[EntryRecord]:
        for number, cells in self._table.rows:
            given = {name: cell.strip() for name, cell in zip(self._names, cells, strict=False) if name}
            if given.get("state") == str(Entry.State.SPAM.label):
                self._tell(IS_SPAM, str(number))
                continue
            sent = {name.removeprefix(_FIELD): cell for name, cell in given.items() if name.startswith(_FIELD)}
            columns = self._columns_of(given, number)
            yield entry_record(self._record, columns, sent, {}, self._zone, self._tell)

    def _columns_of(self, given: Mapping[str, str], number: int) -> dict[str, Any]:
        said_no = "is_replied" in given and not _is_yes(given["is_replied"])
        reply = "" if said_no else given.get("reply", "")
        created = moment_of(given.get("created_at"), self._zone)
        if created is None and given.get("created_at"):
            self._tell(NO_DATE, str(number))
        states = {str(state.label): state.value for state in Entry.State}
        return {
            "created_at": created,
            "state": states.get(given.get("state", ""), (Entry.State.READ if reply else Entry.State.NEW).value),
            "consent": given.get("consent", ""),
            "reply": reply,
            "replied_at": moment_of(given.get("replied_at"), self._zone) if reply else None,
        }

    def _tell(self, sentence: str, place: str) -> None:
        self.notes.setdefault(sentence, {})[place[:200]] = None

    def form_notes(self) -> list[list[Any]]:
        return [[told, len(places), first_of(list(places))] for told, places in self.notes.items()]


@transaction.atomic
def import_entries(form: Form, table: EntryTable, source: str) -> Counted:
    """Store the rows, without those that are an entry already: equal values of the same time."""
    # Locked, so that a second import of the table finds the entries of this one.
    list(Form.objects.select_for_update().filter(pk=form.pk).values_list("pk"))
    fields, new, known = fields_of(form), 0, 0
    rows = table.entries()
    while batch := list(islice(rows, _AT_A_TIME)):
        entries = entries_of(form, batch, fields)
        dated = {entry.created_at for entry, row in zip(entries, batch, strict=True) if "created_at" in row.fields}
        rows_of = Entry.objects.filter(form=form, created_at__in=dated)
        stored = {_mark(*each) for each in rows_of.values_list("created_at", "values")}
        fresh = []
        for entry in entries:
            mark = _mark(entry.created_at, entry.values)
            if entry.values and mark not in stored:
                fresh.append(entry)
            if entry.created_at in dated:
                stored.add(mark)
        Entry.objects.bulk_create(fresh)
        new, known = new + len(fresh), known + len(entries) - len(fresh)
    audit.record("entry.imported", form, site_id=form.site_id, source=source, entries=new)
    return Counted(new, known)


def do_import(asked: Mapping[str, Any]) -> Report:
    """Raises JobFailed."""
    path = folders.find_upload(asked["package"])
    form = Form.objects.filter(pk=asked["form"], site__trashed_at=None).first()
    if path is None or form is None:
        raise JobFailed(
            _("The form was deleted meanwhile.")
            if path is not None
            else _("The uploaded file is no longer stored. Upload it again.")
        )
    try:
        table = EntryTable(form, path.read_bytes())
    except ValidationError as error:
        raise JobFailed(said(_sentences, error)) from error
    new, known = import_entries(form, table, asked["file_name"])
    folders.remove_upload(asked["package"])
    return {"form": form.pk, "name": form.name, "entries": new, "known": known, "form_notes": table.form_notes()}


def _do(run: Run) -> Report:
    return do_import(run.parameters)


def _sentences(error: ValidationError) -> str:
    return " ".join(error.messages)


def _mark(moment: datetime, values: Any) -> str:
    return f"{moment} {json.dumps(values, sort_keys=True)}"


def _is_yes(text: str) -> bool:
    return is_true(text) or text.casefold() in _YES


IMPORT_ENTRIES = JobKind(
    name="transfer.import_entries",
    label=_("Import entries"),
    title=lambda asked: gettext("Import of the entries in %(file)s") % {"file": asked["file_name"]},
    do=_do,
    template="transfer/entry_import_report.html",
    is_open_to=lambda user: bool(places_of(user, "forms.change_entry")),
    again=lambda asked: f"{reverse('admin:forms_entry_import')}?form__id__exact={asked['form']}",
)
