"""Forms in a package: Input/<number>.xml with the entries, and a file for each field in Input/<number>/."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import tzinfo
from functools import cached_property, partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.lib.settings_text import parse_settings_text
from forms.models import MAX_CHARACTERS, MAX_CHOICES, MAX_FIELDS, Entry, Form
from transfer.feed import Elements
from transfer.form_records import (
    MAX_CHOICE,
    SIGNED_IN_ONLY,
    TOO_MANY_FIELDS,
    Choice,
    InputSource,
    Titles,
    entry_record,
    form_record,
    named_apart,
    rules_of_version_5,
    titles_of,
)
from transfer.package import EntryRecord, FormRecord, PackageError, filled
from transfer.template_files import TemplateFiles
from transfer.values import FLAGS, decode_text, read_date

MAX_FORMS = 500
# Fields that are read to find the first ones of a form.
_MAX_FILES = 4 * MAX_FIELDS
_MAX_TEXT = 8 * MAX_CHARACTERS  # encoded
_FORM = re.compile(r"input/([0-9]{1,18})\.xml")
_FIELD = re.compile(r"input/([0-9]{1,18})/[^/]+\.xml")


class FormFiles:
    """The forms of a package; `notes` gets what was changed or left out, while forms and entries are read."""

    def __init__(self, files: TemplateFiles, time_zone: tzinfo) -> None:
        self._files, self._time_zone = files, time_zone
        # Sentence → forms or fields.
        self.notes: dict[str, dict[str, None]] = defaultdict(dict)

    @cached_property
    def records(self) -> tuple[FormRecord, ...]:
        """The forms in the order in which they were added. Raises PackageError for files that cannot be read."""
        forms = {int(match[1]): name for match, name in self._matching(_FORM)}
        if len(forms) > MAX_FORMS:
            raise PackageError(filled(_("The site has more than %(count)d forms."), count=MAX_FORMS))
        fields: dict[int, list[str]] = defaultdict(list)
        for match, name in self._matching(_FIELD):
            fields[int(match[1])].append(name)
        ordered = [self._read(number, forms[number], fields[number]) for number in sorted(forms)]
        return tuple(named_apart(ordered, self._tell))

    def count_entries(self) -> int:
        return sum(1 for record in self.records for _entry in record.entries())

    def _read(self, number: int, file: str, fields: list[str]) -> FormRecord:
        with self._files.feed(file) as feed:
            form = folded(feed.head)
        settings = parse_pairs(decode_text(form.get("settingsxml", "")))
        name = form.get("inputname", "")
        if settings.get("isanomynous", "").casefold() == "false":
            self._tell(SIGNED_IN_ONLY, name)
        if len(fields) > _MAX_FILES:
            self._tell(TOO_MANY_FIELDS, name)
        sources = [source for _taxis, source in sorted(map(self._field, fields[:_MAX_FILES]), key=lambda each: each[0])]
        record = form_record(
            {
                "name": name,
                "taxis": number_of(form.get("taxis", "")),
                "success_text": settings.get("messagesuccess", ""),
                "origin": Form.Origin.INPUT.value,
                "origin_id": number,
            },
            sources,
            self._tell,
        )
        entries = partial(self._entries, file, record, titles_of(sources))
        return FormRecord(record.fields, record.inputs, entries)

    def _field(self, file: str) -> tuple[int, InputSource]:
        """Return the field with its place, which rises with the order."""
        with self._files.feed(file) as feed:
            field = folded(feed.head)
            # One more than may stay, so that the limit is noticed.
            choices = [_choice(folded(each)) for each in islice(feed.entries(), MAX_CHOICES + 1)]
        is_required, rules = rules_of_version_5(parse_pairs(field.get("extendvalues", "")))
        source = InputSource(
            key=field.get("attributename", "").strip(),
            label=field.get("displayname", ""),
            kind=field.get("inputtype", "Text"),
            help_text=field.get("helptext", ""),
            default=field.get("defaultvalue", ""),
            is_visible=FLAGS.get(field.get("isvisible", "").strip().lower(), True),
            is_required=is_required,
            rules=rules,
            choices=choices,
        )
        return -number_of(field.get("taxis", "")), source

    def _entries(self, file: str, record: FormRecord, titles: Titles) -> Iterator[EntryRecord]:
        with self._files.feed(file) as feed:
            for elements in feed.entries():
                row = folded(elements)
                yield entry_record(
                    record,
                    {
                        "created_at": self._date(row.get("adddate", "")),
                        "state": state_of(row.get("ischecked", "")),
                        "reply": row.get("reply", ""),
                    },
                    row,
                    titles,
                    self._time_zone,
                    self._tell,
                )

    def _date(self, text: str) -> Any:
        try:
            return read_date(text, self._time_zone)
        except ValueError:
            return None

    def _matching(self, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
        for path, name in self._files.described.items():
            if match := pattern.fullmatch(path):
                yield match, name

    def _tell(self, sentence: str, place: str) -> None:
        self.notes[sentence][place[:200]] = None


def folded(elements: Elements) -> dict[str, str]:
    """Return the texts by names in small letters; much longer ones than any that is stored are cut, to save memory."""
    return {name.casefold(): text[:_MAX_TEXT] for name, text in elements.items()}


def parse_pairs(text: str) -> dict[str, str]:
    """Return the settings, by names in small letters; none if they cannot be read."""
    try:
        return {name.casefold(): value for name, value in parse_settings_text(text).items()}
    except ValueError:
        return {}


def number_of(text: str) -> int:
    """Return the position, 0 for anything else."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def state_of(is_checked: str) -> str:
    return (Entry.State.READ if FLAGS.get(is_checked.strip().lower()) else Entry.State.NEW).value


def _choice(item: Elements) -> Choice:
    title = item.get("itemtitle", "")[: MAX_CHOICE + 1]
    is_selected = FLAGS.get(item.get("isselected", "").strip().lower(), False)
    return Choice(title, item.get("itemvalue", title)[: MAX_CHOICE + 1], is_selected)
