"""Parses the filters of the list of contents from the query string."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from contents.flags import MARKS
from contents.models import MAX_LEVEL
from contents.services.approval import DRAFT, DecisionKind
from core.admin.numbers import read_number
from search.words import Words, read_words

SITE, CHANNEL, STATE, CHECKED = "site__id__exact", "channel__id__exact", "state", "is_checked__exact"
GROUP, TAG, AUTHOR, QUERY, ROWS, ORDER = "group", "tag", "author", "q", "rows", "o"
FLAGS = {f"{flag}__exact": flag for flag in MARKS}
DATES = ("added_from", "added_to", "edited_from", "edited_to")
FILTERS = (SITE, CHANNEL, STATE, CHECKED, *FLAGS, GROUP, TAG, AUTHOR, *DATES)
PENDING = "pending"  # every state except approved
_LEVELS = {
    DecisionKind.DRAFT: (DRAFT,),
    DecisionKind.WAITING: (0,),
    DecisionKind.PASSED: tuple(range(1, MAX_LEVEL + 1)),
    DecisionKind.REJECTED: tuple(range(-1, -MAX_LEVEL - 1, -1)),
}


@dataclass(frozen=True)
class ListParams:
    """The filters; the list is empty if any are `unread` (invalid)."""

    site_id: int | None = None
    channel_id: int | None = None
    is_checked: bool | None = None
    levels: tuple[int, ...] = ()  # levels of unapproved contents; empty: any
    flags: Mapping[str, bool] = field(default_factory=dict)
    group: str = ""
    tag: str = ""
    author: str = ""
    added: tuple[datetime | None, datetime | None] = (None, None)  # (from, before)
    edited: tuple[datetime | None, datetime | None] = (None, None)
    words: Words = field(default_factory=Words)
    query: str = ""  # of which the words are
    unread: tuple[str, ...] = ()

    @property
    def has_turned_span(self) -> bool:
        """Return whether a date range ends before it begins."""
        return any(start and end and start >= end for start, end in (self.added, self.edited))


def read_asked(given: Mapping[str, str]) -> ListParams:
    unread: list[str] = []
    given = {name: value.strip() for name, value in given.items()}
    query, is_checked = given.get(QUERY, ""), _switch(given.get(CHECKED, ""))
    state = given.get(STATE, "")
    levels: tuple[int, ...] = ()
    if state == DecisionKind.APPROVED:
        is_checked = True
    elif state == PENDING:
        is_checked = False
    elif state in DecisionKind.values:
        is_checked, levels = False, _LEVELS[DecisionKind(state)]
    elif state:
        unread.append(STATE)
    words = read_words(query, has_places=True)
    if query and not words:
        unread.append(QUERY)
    read: dict[str, Any] = {}
    for name, parse in {SITE: read_number, CHANNEL: read_number, **dict.fromkeys(DATES, _date)}.items():
        read[name] = parse(given[name]) if given.get(name) else None
        if given.get(name) and read[name] is None:
            unread.append(name)
    return ListParams(
        site_id=read[SITE],
        channel_id=read[CHANNEL],
        is_checked=is_checked,
        levels=levels,
        flags={flag: on for name, flag in FLAGS.items() if (on := _switch(given.get(name, ""))) is not None},
        group=given.get(GROUP, ""),
        tag=given.get(TAG, ""),
        author=given.get(AUTHOR, ""),
        added=(read["added_from"], _day_after(read["added_to"])),
        edited=(read["edited_from"], _day_after(read["edited_to"])),
        words=words,
        query=query,
        unread=tuple(unread),
    )


def _switch(text: str) -> bool | None:
    return {"1": True, "True": True, "0": False, "False": False}.get(text)


def _date(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time())
    except ValueError:
        return None


def _day_after(day: datetime | None) -> datetime | None:
    return None if day is None or day.date() == date.max else day + timedelta(days=1)
