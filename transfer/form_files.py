"""Forms in a package: a file <number>.xml with the entries, and the fields in a folder <number>/.

They are below Input/ in version 5, and below Form/ in version 7, which has that file in the folder of the form. In the
zip of a single form, the elements of the file say which version wrote it, since not every version says so elsewhere.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cached_property, partial
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple, Self

from django.utils.translation import gettext_lazy as _

from core.lib.settings_text import parse_settings_text
from forms.models import MAX_CHARACTERS, MAX_CHOICES, MAX_FIELDS, Form
from transfer.archive import Archive, ZipArchive
from transfer.feed import Elements, Feed
from transfer.form_records import (
    MAX_CHOICE,
    TOO_MANY_FIELDS,
    Titles,
    entry_record,
    form_record,
    named_apart,
    titles_of,
)
from transfer.form_versions import (
    choice_of_version_5,
    entry_columns,
    entry_columns_of_version_5,
    form_columns,
    form_columns_of_version_5,
    input_of_version_5,
    input_of_version_6,
    input_of_version_7,
    number_of,
    with_listed,
)
from transfer.package import EntryRecord, FormRecord, PackageError, filled
from transfer.values import decode_text

MAX_FORMS = 500
# Fields that are read to find the first ones of a form.
_MAX_FILES = 4 * MAX_FIELDS
_MAX_TEXT = 8 * MAX_CHARACTERS  # encoded
_MAX_STYLES = 4 * 1024**2  # bytes of a zip with fields
_MAX_FORM = 64 * 1024**2  # bytes of all files of the zip of a form
_INPUTS, _FORMS, _SINGLE = "input/", "form/", ""
_FORM = re.compile(r"(input/|form/|)([0-9]{1,18})\.xml")
_FIELD = re.compile(r"(input/|form/|)([0-9]{1,18})/([^/]+)\.xml")
_STYLES = re.compile(r"(form/|)(?:([0-9]{1,18})/(?:\2/)?)?tablestyle\.zip")

Folded = dict[str, str]
Place = tuple[str, int]  # folder and number of a form


@dataclass
class _Files:
    """The names of the files of a form in the archive."""

    form: str = ""
    fields: list[str] = field(default_factory=list)
    styles: str = ""


class _FieldFile(NamedTuple):
    columns: Folded
    settings: Folded  # of the column ExtendValues
    items: list[Folded]


class FormFiles:
    """The forms of a package; `notes` gets what was changed or left out, while forms and entries are read.

    `described` has the names in the archive by folded paths.
    """

    def __init__(
        self,
        archive: Archive,
        described: Callable[[], Mapping[str, str]],
        time_zone: tzinfo,
        *,
        is_single: bool = False,
    ) -> None:
        self._archive, self._described, self._time_zone, self._is_single = archive, described, time_zone, is_single
        # Sentence → forms or fields.
        self.notes: dict[str, dict[str, None]] = defaultdict(dict)

    @cached_property
    def records(self) -> tuple[FormRecord, ...]:
        """The forms in the order in which they were added. Raises PackageError for files that cannot be read."""
        found = {place: files for place, files in sorted(self._found().items()) if files.form}
        if len(found) > MAX_FORMS:
            raise PackageError(filled(_("The site has more than %(count)d forms."), count=MAX_FORMS))
        ordered = [self._read(*place, files) for place, files in found.items()]
        return tuple(named_apart(ordered, self.tell))

    def count_entries(self) -> int:
        return sum(1 for record in self.records for _entry in record.entries())

    def _found(self) -> dict[Place, _Files]:
        found: dict[Place, _Files] = defaultdict(_Files)
        inner: dict[Place, str] = {}
        styles = ""
        for path, name in self._described().items():
            match = next(filter(None, (each.fullmatch(path) for each in (_FORM, _FIELD, _STYLES))), None)
            if match is None or (match[1] == _SINGLE) is not self._is_single:
                continue
            place = match[1], int(match[2] or 0)
            if match.re is _FORM:
                found[place].form = name
            elif match.re is _STYLES:
                found[place].styles, styles = name, name
            elif match[1] == _FORMS and match[3] == match[2]:
                inner[place] = name
            else:
                found[place].fields.append(name)
        for place, name in inner.items():
            files = found[place]
            files.form, files.fields = files.form or name, [*files.fields, *([name] if files.form else [])]
        for files in found.values() if self._is_single else ():
            files.styles = styles
        return found

    def _read(self, folder: str, number: int, files: _Files) -> FormRecord:
        with feed_in(self._archive, files.form) as feed:
            form = folded(feed.head)
        place = form.get("inputname") or form.get("title", "")
        if len(files.fields) > _MAX_FILES:
            self.tell(TOO_MANY_FIELDS, place)
        if folder == _INPUTS or (folder == _SINGLE and "inputname" in form):
            return self._version_5(number, files, form)
        fields = list(self._fields(files, place))
        settings = parse_pairs(decode_text(form.get("extendvalues") or form.get("settings", "")))
        columns = form_columns(form, settings, self._time_zone, self.tell)
        is_of_version_6 = any("attributename" not in each.columns for each in fields) or "settings" in form
        origin = Form.Origin.PLUGIN if is_of_version_6 else Form.Origin.FORM
        fields.sort(key=lambda each: (number := number_of(each.columns.get("taxis", "")), number == 0)[::-1])
        sources = [
            input_of_version_6(each.columns, each.items)
            if is_of_version_6
            else input_of_version_7(each.columns, each.settings, each.items, self.tell, place)
            for each in fields
        ]
        record = form_record(columns | {"origin": origin.value, "origin_id": number}, sources, self.tell)
        record = replace(record, inputs=with_listed(record.inputs, settings))
        return replace(record, entries=partial(self._entries, files.form, record, titles_of(sources), entry_columns))

    def _version_5(self, number: int, files: _Files, form: Folded) -> FormRecord:
        settings, name = parse_pairs(decode_text(form.get("settingsxml", ""))), form.get("inputname", "")
        fields = sorted(self._fields(files, name), key=lambda each: -number_of(each.columns.get("taxis", "")))
        sources = [
            input_of_version_5(each.columns, each.settings, [choice_of_version_5(item) for item in each.items])
            for each in fields
        ]
        columns = form_columns_of_version_5(form, settings, self.tell)
        record = form_record(columns | {"origin": Form.Origin.INPUT.value, "origin_id": number}, sources, self.tell)
        entries = partial(self._entries, files.form, record, titles_of(sources), entry_columns_of_version_5)
        return replace(record, entries=entries)

    def _fields(self, files: _Files, place: str) -> Iterator[_FieldFile]:
        with ExitStack() as stack:
            archive, names = self._archive, files.fields
            if files.styles:
                archive = stack.enter_context(self._styles(files.styles))
                names = sorted(name for name in archive.names() if name.casefold().endswith(".xml"))
                if len(names) > _MAX_FILES:
                    self.tell(TOO_MANY_FIELDS, place)
            for name in names[:_MAX_FILES]:
                with feed_in(archive, name) as feed:
                    columns = folded(feed.head)
                    # One more than may stay, so that the limit is noticed.
                    items = [_item(each) for each in islice(feed.entries(), MAX_CHOICES + 1)]
                yield _FieldFile(columns, parse_pairs(decode_text(columns.get("extendvalues", ""))), items)

    @contextmanager
    def _styles(self, name: str) -> Iterator[Archive]:
        """Open the zip in the archive that has the fields of a form."""
        with self._archive.open(name) as stream:
            data = bytearray()
            while piece := stream.read():
                data += piece
                if len(data) > _MAX_STYLES:
                    raise PackageError(
                        filled(_("The file has at least %(count)d bytes; at most %(most)d are allowed."),
                               count=len(data), most=_MAX_STYLES),
                        file=name,
                    )  # fmt: skip
        archive = ZipArchive(BytesIO(data), name)
        try:
            require_size(archive, name)
            yield archive
        finally:
            archive.close()

    def _entries(
        self, file: str, record: FormRecord, titles: Titles, columns_of: Callable[[Folded, tzinfo], dict[str, Any]]
    ) -> Iterator[EntryRecord]:
        with feed_in(self._archive, file) as feed:
            for elements in feed.entries():
                row = folded(elements)
                columns = columns_of(row, self._time_zone)
                yield entry_record(record, columns, row | _more_of(elements), titles, self._time_zone, self.tell)

    def tell(self, sentence: str, place: str) -> None:
        self.notes[sentence][place[:200]] = None


class FormZip(AbstractContextManager["FormZip"]):
    """The zip of one form, as the extension of version 6 and the product from version 7 export it."""

    def __init__(self, file: Any, name: str, time_zone: tzinfo) -> None:
        self._archive = ZipArchive(file, name)
        try:
            require_size(self._archive, name)
            self.forms = FormFiles(self._archive, lambda: _below_top(self._archive.names()), time_zone, is_single=True)
            if len(self.forms.records) != 1:
                raise PackageError(_("This is not the zip file of one form: it must have one file such as 7.xml."))
        except BaseException:
            self._archive.close()
            raise

    @property
    def record(self) -> FormRecord:
        return self.forms.records[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._archive.close()


def require_size(archive: ZipArchive, name: str) -> None:
    """Raise PackageError for files that are too large for one form."""
    if (size := archive.size()) > _MAX_FORM:
        told = _("The zip unpacks to %(count)d bytes; at most %(most)d are allowed.")
        raise PackageError(filled(told, count=size, most=_MAX_FORM), file=name)


@contextmanager
def feed_in(archive: Archive, name: str) -> Iterator[Feed]:
    with archive.open(name) as stream:
        yield Feed(stream, name)


def folded(elements: Elements) -> Folded:
    """Return the texts by names in small letters; much longer ones than any that is stored are cut, to save memory."""
    return {name.casefold(): text[:_MAX_TEXT] for name, text in elements.items()}


def parse_pairs(text: str) -> Folded:
    """Return the settings, by names in small letters; none if they cannot be read."""
    try:
        return {name.casefold(): value for name, value in parse_settings_text(text).items()}
    except ValueError:
        return {}


def _more_of(elements: Elements) -> Folded:
    """Return the values that an entry has in JSON."""
    texts = {name.casefold(): text for name, text in elements.items()}
    return parse_pairs(texts.get("attributevalues") or decode_text(texts.get("extendvalues", "")))


def _item(elements: Elements) -> Folded:
    return {name: text[: MAX_CHOICE + 1] for name, text in folded(elements).items()}


def _below_top(names: Iterable[str]) -> Mapping[str, str]:
    """Return the names by their folded paths, without the folder that has them all, if there is one."""
    tops = {name.partition("/")[0] for name in names}
    (top,) = tops if len(tops) == 1 else ("",)
    start = f"{top}/" if top and all("/" in name for name in names) else ""
    return {name.removeprefix(start).casefold(): name for name in sorted(names)}
