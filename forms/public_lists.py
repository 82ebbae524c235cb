"""Entries that everybody may read: the approved ones of a form, or those with a reply.

A reply shows that a person has read the entry, so it needs no approval besides; spam is never public. Of an entry,
only the reply and the fields of the public list are read.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet, Value

from core.stl.attributes import Attributes
from forms.entry_search import MAX_SEARCHED, HasText, escaped
from forms.models import MAX_CHARACTERS, Entry, Field, Form
from pages.engine.scope import Limits
from pages.engine.source import EntryRecord, EntryValue, Listed
from pages.engine.words import ENTRY_LIST, PAGES, WITHOUT_EFFECT
from sites.models import trashed_site_ids

MAX_PAGE = 200  # entries on a page
_MAX_WORDS = 5
_MAX_ITEMS = Limits().items + 1  # of a list in a page: one more than its limit, so that a longer list exceeds it
_OWN = frozenset(map(str.lower, ENTRY_LIST | PAGES)) | WITHOUT_EFFECT  # attributes of lists in pages that are no fields
_OLDEST_FIRST = frozenset({"back", "adddateback"})  # values of `order`


class PublicEntry(NamedTuple):
    id: int
    created_at: datetime
    values: Mapping[str, str | list[str]]  # of the listed fields, by their keys; lists are those of checkboxes
    reply: str
    replied_at: datetime | None


def listed_fields(form: Form) -> list[Field]:
    """Return the fields that the public list shows."""
    return [field for field in form.fields.all() if field.is_public]


def public_entries(form: Form) -> QuerySet[Entry]:
    entries = Entry.objects.filter(form=form).exclude(form__site_id__in=trashed_site_ids())
    if form.public_list == Form.PublicList.APPROVED:
        return entries.filter(state=Entry.State.APPROVED)
    if form.public_list == Form.PublicList.REPLIED:
        return entries.exclude(reply="").exclude(state=Entry.State.SPAM)
    return entries.none()


def rows(
    form: Form,
    page: int = 1,
    per_page: int = 0,
    word: str = "",
    *,
    channel_id: int | None = None,
    content_id: int | None = None,
) -> tuple[list[PublicEntry], int]:
    """Return a page of the public list, the newest first, and the number of all its entries.

    `page` counts from 1, and `per_page` is the page size of the form if it is 0. The words in `word` are looked for in
    listed fields and replies of the newest MAX_SEARCHED public entries. A channel or content limits the list to entries
    sent from its pages.
    """
    fields, entries = listed_fields(form), public_entries(form)
    about = {"channel_id": channel_id, "content_id": content_id}
    entries = entries.filter(**{name: number for name, number in about.items() if number is not None})
    if words := word.replace("\0", "").split()[:_MAX_WORDS]:
        entries = _newest(entries)
        for each in words:
            entries = entries.filter(_has_word(each, fields))
    size = page_size(form, per_page)
    return _read(entries, fields, (max(page, 1) - 1) * size, size), entries.count()


def page_size(form: Form, wanted: int = 0) -> int:
    return min(max(wanted, 0) or form.page_size or 30, MAX_PAGE)


def find_entries(form_id: int, attributes: Attributes, *, is_counted: bool) -> Listed:
    """Return the entries that a list in a page shows; the total counts only these unless requested.

    `isReply`, `order`, `startNum` and `totalNum` are those of the element. An attribute with the name of a field
    selects by its value; a field that is not listed selects no entry, so that a list discloses nothing of its values.
    """
    form = Form.objects.filter(pk=form_id).first()
    if form is None:
        return Listed((), 0)
    fields = list(form.fields.all())
    entries = _selected(public_entries(form), fields, attributes)
    start, count = max(attributes.integer("startNum", 1) - 1, 0), attributes.integer("totalNum")
    is_reversed = attributes.text("order").strip().casefold() in _OLDEST_FIRST
    listed = [field for field in fields if field.is_public]
    found = _read(entries, listed, start, min(count or _MAX_ITEMS, _MAX_ITEMS), is_reversed=is_reversed)
    records = [_record(entry, listed) for entry in found]
    return Listed(records, entries.count() if is_counted else len(records))


def _selected(entries: QuerySet[Entry], fields: Iterable[Field], attributes: Attributes) -> QuerySet[Entry]:
    match attributes.text("isReply").strip().casefold():
        case "true":
            entries = entries.exclude(reply="")
        case "false":
            entries = entries.filter(reply="")
    known = {field.folded_key: field for field in fields}
    for name, text in attributes.items():
        if name in _OWN or not text or (field := known.get(name.casefold())) is None:
            continue
        if not field.is_public or len(text) > MAX_CHARACTERS:
            return entries.none()
        entries = _newest(entries).filter(HasText("values", Value(escaped(text)), number=field.pk))
    return entries


def _newest(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Return the entries that are looked through."""
    return entries.filter(pk__in=entries.order_by("-created_at", "-pk").values("pk")[:MAX_SEARCHED])


def _has_word(word: str, fields: Sequence[Field]) -> Q:
    pattern = Value(f"%{escaped(word[:MAX_CHARACTERS])}%")
    return reduce(or_, (Q(HasText("values", pattern, number=field.pk)) for field in fields), Q(reply__icontains=word))


def _read(
    entries: QuerySet[Entry], fields: Sequence[Field], start: int, count: int, *, is_reversed: bool = False
) -> list[PublicEntry]:
    order = ("created_at", "pk") if is_reversed else ("-created_at", "-pk")
    found = entries.order_by(*order).values_list("pk", "created_at", "values", "reply", "replied_at")
    return [
        PublicEntry(pk, created_at, _values(values, fields), reply, replied_at)
        for pk, created_at, values, reply, replied_at in found[start : start + count]
    ]


def _values(stored: Any, fields: Sequence[Field]) -> dict[str, str | list[str]]:
    values = stored if isinstance(stored, dict) else {}
    return {field.key: _text(values.get(str(field.pk), "")) for field in fields}


def _text(value: Any) -> str | list[str]:
    if isinstance(value, list):
        return [str(each).replace("\0", "\ufffd") for each in value]
    return "" if value is None else str(value).replace("\0", "\ufffd")


def _record(entry: PublicEntry, fields: Sequence[Field]) -> EntryRecord:
    values = {}
    for field in fields:
        value = entry.values[field.key]
        texts = value if isinstance(value, list) else [value] if value else []
        values[field.folded_key] = EntryValue(field.label or field.key, field.kind, texts)
    return EntryRecord(entry.id, entry.created_at, values, entry.reply, entry.replied_at)
