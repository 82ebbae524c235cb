"""What the list of contents is asked for, read out of its address."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from cms_api.admin.numbers import read_number
from contents.flags import MARKS
from contents.models import MAX_LEVEL
from contents.search.terms import Words, read_words
from contents.services.approval import DRAFT, Kind

# Names in the address.
SITE, CHANNEL, STATE, CHECKED = "site__id__exact", "channel__id__exact", "state", "is_checked__exact"
GROUP, TAG, AUTHOR, QUERY, ROWS, ORDER = "group", "tag", "author", "q", "rows", "o"
FLAGS = {f"{flag}__exact": flag for flag in MARKS}
DATES = ("added_from", "added_to", "edited_from", "edited_to")
FILTERS = (SITE, CHANNEL, STATE, CHECKED, *FLAGS, GROUP, TAG, AUTHOR, *DATES)
PENDING = "pending"  # every state but approved
_LEVELS = {
    Kind.DRAFT: (DRAFT,),
    Kind.WAITING: (0,),
    Kind.PASSED: tuple(range(1, MAX_LEVEL + 1)),
    Kind.REJECTED: tuple(range(-1, -MAX_LEVEL - 1, -1)),
}


@dataclass(frozen=True)
class Asked:
    """The filters; those that cannot be read stand in `unread`, and the list is empty then."""

    site_id: int | None = None
    channel_id: int | None = None
    is_checked: bool | None = None
    levels: tuple[int, ...] = ()  # of contents that are not approved; none: whatever level
    flags: Mapping[str, bool] = field(default_factory=dict)
    group: str = ""
    tag: str = ""
    author: str = ""
    added: tuple[datetime | None, datetime | None] = (None, None)  # from, and before
    edited: tuple[datetime | None, datetime | None] = (None, None)
    query: str = ""
    words: Words = field(default_factory=Words)
    unread: tuple[str, ...] = ()

    @property
    def has_turned_span(self) -> bool:
        """Whether a span of dates ends before it begins."""
        return any(start and end and start >= end for start, end in (self.added, self.edited))


def read_asked(given: Mapping[str, str]) -> Asked:
    """The filters of an address, whatever it says."""
    unread: list[str] = []
    given = {name: value.strip() for name, value in given.items()}
    query, is_checked = given.get(QUERY, ""), _switch(given.get(CHECKED, ""))
    state = given.get(STATE, "")
    levels: tuple[int, ...] = ()
    if state == Kind.APPROVED:
        is_checked = True
    elif state == PENDING:
        is_checked = False
    elif state in Kind.values:
        is_checked, levels = False, _LEVELS[Kind(state)]
    elif state:
        unread.append(STATE)
    words = read_words(query)
    if query and not words:
        unread.append(QUERY)
    dates = {name: _date(given.get(name, ""), name, unread) for name in DATES}
    return Asked(
        site_id=_number(given, SITE, unread),
        channel_id=_number(given, CHANNEL, unread),
        is_checked=is_checked,
        levels=levels,
        flags={flag: on for name, flag in FLAGS.items() if (on := _switch(given.get(name, ""))) is not None},
        group=given.get(GROUP, ""),
        tag=given.get(TAG, ""),
        author=given.get(AUTHOR, ""),
        added=(dates["added_from"], _day_after(dates["added_to"])),
        edited=(dates["edited_from"], _day_after(dates["edited_to"])),
        query=query,
        words=words,
        unread=tuple(unread),
    )


def _number(given: Mapping[str, str], name: str, unread: list[str]) -> int | None:
    if not given.get(name):
        return None
    number = read_number(given[name])
    if number is None:
        unread.append(name)
    return number


def _switch(text: str) -> bool | None:
    return {"1": True, "True": True, "0": False, "False": False}.get(text)


def _date(text: str, name: str, unread: list[str]) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.combine(date.fromisoformat(text), time())
    except ValueError:
        unread.append(name)
        return None


def _day_after(day: datetime | None) -> datetime | None:
    if day is None or day.date() == date.max:
        return None
    return day + timedelta(days=1)
