"""Three-way merge of concurrent edits by two administrators."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from contents.admin.history.comparison import compare_bodies
from contents.admin.history.texts import TextBudget, TextComparison, compare_texts, cut, plain_lines
from contents.admin.writing.form import BODY, ContentForm, Values, differences, label_of, stored_values, values_of
from contents.flags import MARKS
from contents.models import Content, ContentChange, CustomField
from contents.storing.history import version_of
from core.admin.formatting import format_date_time
from core.lib.differences import Budget

_SHORT = 120  # longest text shown side by side; longer ones are shown as differences
_ROOM = 120_000  # bytes of the page for differences


@dataclass(frozen=True, slots=True)
class Contested:
    """A value that both changed; long texts as differences from theirs to mine."""

    name: str
    label: str
    mine: str
    theirs: str
    takes_theirs: bool = False
    text: TextComparison | None = None
    by_source: bool = False  # the differences are in the markup

    @property
    def is_plain(self) -> bool:
        return self.name != BODY


@dataclass(frozen=True, slots=True)
class Conflict:
    """Author and time of the other version, labels of members that only they changed, and the values that both
    changed."""

    user_name: str
    at: datetime
    taken_over: list[str]
    contested: list[Contested]

    @property
    def short(self) -> list[Contested]:
        return [row for row in self.contested if row.text is None]

    @property
    def long(self) -> list[Contested]:
        return [row for row in self.contested if row.text is not None]


def merge(content: Content, form: ContentForm, seen_version: int) -> tuple[Conflict, Values]:
    """Three-way merge of the stored content and the form over `seen_version`: the conflict, and the new form values."""
    fields, base = form.written.fields, None
    # Without the base version the changes of each are unknown: show everything.
    with suppress(LookupError):
        base = values_of(*version_of(content, seen_version), fields)
    return merge_values(form, stored_values(content, fields), base, last_saved(content))


def merge_values(
    form: ContentForm, theirs: Values, base: Values | None, saved: tuple[str, datetime]
) -> tuple[Conflict, Values]:
    """As `merge`, with any values; `saved` are author and time of theirs."""
    fields, mine = form.written.fields, form.values if base is None else form.values_over(base)
    contested = differences(mine, theirs)
    theirs_only: set[str] = set()
    if base is not None:
        changed_by_me, changed_by_them = differences(mine, base), differences(theirs, base)
        theirs_only = contested - changed_by_me
        contested &= changed_by_me & changed_by_them
    taken_over = [label_of(name, fields) for name in mine if name in theirs_only]
    rows = describe([name for name in mine if name in contested], mine, theirs, fields)
    return Conflict(*saved, taken_over, rows), mine | {name: theirs[name] for name in theirs_only}


def describe(
    names: Iterable[str], mine: Values, theirs: Values, fields: list[CustomField], taken: frozenset[str] = frozenset()
) -> list[Contested]:
    budget, room = Budget(), TextBudget(_ROOM)
    found = []
    for name in names:
        my_words, their_words = _words(name, mine[name]), _words(name, theirs[name])
        text, by_source = None, False
        if name == BODY:
            text = compare_bodies(their_words, my_words, False, budget, room)
            if not text.differs:  # the visible text is the same
                text, by_source = compare_bodies(their_words, my_words, True, budget, room), True
        elif max(len(my_words), len(their_words)) > _SHORT or "\n" in my_words + their_words:
            text = compare_texts(their_words, my_words, plain_lines, budget, room)
        sides = cut(my_words, _SHORT), cut(their_words, _SHORT)
        found.append(Contested(name, label_of(name, fields), *sides, name in taken, text, by_source))
    return found


def _words(name: str, value: Any) -> str:
    if name in MARKS:
        return _("Yes") if value else _("No")
    return format_date_time(value) if isinstance(value, datetime) else str(value)


def is_as_before(content: Content, version: int) -> bool:
    """Return whether only hits were counted since the version, which some programs store as edits."""
    try:
        members, body = version_of(content, version)
    except LookupError:
        return False
    now, body_now = version_of(content, content.version)
    others = members.keys() - {"last_edit_user_name", "last_edit_date"}
    return body == body_now and all(members[name] == now[name] for name in others)


def last_saved(content: Content) -> tuple[str, datetime]:
    """Return who made the current version and when, from the history or else the content."""
    change = ContentChange.objects.filter(content=content).order_by("-version").first()
    if change is None or change.version != content.version:
        return content.last_edit_user_name, content.last_edit_date
    return change.actor_name or change.key_name or content.last_edit_user_name, change.at
