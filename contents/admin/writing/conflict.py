"""What to show when somebody else has saved since a form was opened: what they changed, and what both did."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cms_api.admin.shown import shown_moment
from cms_api.lib.differences import Budget
from contents.admin.history.byte_budget import Room, cut
from contents.admin.history.comparison import compare_bodies, plain_lines
from contents.admin.history.texts import TextComparison, compare_texts
from contents.admin.writing.form import ContentForm, label_of
from contents.admin.writing.values import BODY, Values, differences, stored_values, values_of
from contents.flags import MARKS
from contents.models import Content, ContentChange, CustomField
from contents.storing.history import version_of

_SHORT = 120  # characters of texts that stand side by side; of longer ones the page tells what differs
_ROOM = 120_000  # bytes of the page for that
_BY_THE_WAY = frozenset({"last_edit_user_name", "last_edit_date"})


@dataclass(frozen=True, slots=True)
class Contested:
    """A value that both have changed, as words for the page; of long texts what differs from theirs to mine."""

    name: str
    label: str
    mine: str
    theirs: str
    takes_theirs: bool = False
    text: TextComparison | None = None
    by_source: bool = False  # the text is that of the markup

    @property
    def is_plain(self) -> bool:
        return self.name != BODY


@dataclass(frozen=True, slots=True)
class Conflict:
    """Who has saved and when, the labels of what only they have changed, and what both have."""

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


@dataclass(frozen=True, slots=True)
class Merged:
    """The conflict, and the values with which the form goes on."""

    conflict: Conflict
    values: Values


def merge(content: Content, form: ContentForm, seen_version: int) -> Merged:
    """Three-way: `content` is as somebody else has left it, the form as it was typed over `seen_version`."""
    fields = form.written.fields
    theirs, mine = stored_values(content, fields), form.values
    base = _values_at(content, seen_version, fields)
    both_differ = differences(mine, theirs)
    # Without the version from which both began nobody knows who has changed what: then everything is shown.
    theirs_only = both_differ - differences(mine, base) if base is not None else set()
    contested = [name for name in mine if name in both_differ - theirs_only]
    if base is not None:
        mine_only = both_differ - differences(theirs, base)
        contested = [name for name in contested if name not in mine_only]
    who, at = last_saved(content)
    told = [label_of(name, fields) for name in mine if name in theirs_only]
    conflict = Conflict(who, at, told, describe(contested, mine, theirs, fields))
    return Merged(conflict, mine | {name: theirs[name] for name in theirs_only})


def describe(
    names: Iterable[str], mine: Values, theirs: Values, fields: list[CustomField], taken: frozenset[str] = frozenset()
) -> list[Contested]:
    """The values side by side, or what differs in them; names that are no values are left out."""
    budget, room = Budget(), Room(_ROOM)
    found = []
    for name in (name for name in names if name in mine):
        label, sides = label_of(name, fields), (_words(name, mine[name]), _words(name, theirs[name]))
        text, by_source = _compared(name, *sides, budget, room) if _is_long(name, *sides) else (None, False)
        mine_cut, theirs_cut = (cut(side, _SHORT) for side in sides)
        found.append(Contested(name, label, mine_cut, theirs_cut, name in taken, text, by_source))
    return found


def _is_long(name: str, mine: str, theirs: str) -> bool:
    return name == BODY or max(len(mine), len(theirs)) > _SHORT or "\n" in mine + theirs


def _compared(name: str, mine: str, theirs: str, budget: Budget, room: Room) -> tuple[TextComparison, bool]:
    """What differs, and whether it is that of the source: of bodies where readers see the same words."""
    if name != BODY:
        return compare_texts(theirs, mine, plain_lines, budget, room), False
    text = compare_bodies(theirs, mine, False, budget, room)
    return (text, False) if text.differs else (compare_bodies(theirs, mine, True, budget, room), True)


def is_as_before(content: Content, version: int) -> bool:
    """Whether since that version only hits were counted, which programs store as edits; then nobody is in the way."""
    try:
        members, body = version_of(content, version)
    except LookupError:
        return False
    now, body_now = version_of(content, content.version)
    return body == body_now and all(members[name] == now[name] for name in members.keys() - _BY_THE_WAY)


def last_saved(content: Content) -> tuple[str, datetime]:
    """Who made the present version and when, as the history tells; else who has edited the content last."""
    change = ContentChange.objects.filter(content=content).order_by("-version").first()
    if change is None or change.version != content.version:
        return content.last_edit_user_name, content.last_edit_date
    return change.actor_name or change.key_name or content.last_edit_user_name, change.at


def _values_at(content: Content, version: int, fields: list[CustomField]) -> Values | None:
    try:
        members, body = version_of(content, version)
    except LookupError:
        return None
    return values_of(members, body, fields)


def _words(name: str, value: Any) -> str:
    if name in MARKS:
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return shown_moment(value)
    return str(value)
