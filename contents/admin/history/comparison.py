"""Two versions of a content side by side, and one by itself, within bounds however long its members are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from cms_api.lib.differences import Budget
from contents.admin.history.byte_budget import Room, cut, weight_of
from contents.admin.history.html_to_text import MOST, lines_of, paragraphs_of
from contents.admin.history.texts import LONG, Span, TextComparison, compare_texts, compare_values, fit_spans
from contents.admin.history.words import ChangeWords, Member, ToldMember, find_key, key_of

Version = tuple[Mapping[str, Any], str]  # members by attribute name, and the body

_PER_PAGE = 50  # members
_BODY_ROOM = 120_000  # bytes of the page for what differs between bodies
_MEMBERS_ROOM = 80_000  # and for the values of members
_SIDE_ROOM = 700  # bytes of one value
_MOST_NAME = 60  # characters of a member's name
BODY_KEY = "content"  # as the API names it; no member is called so
_MOST_TOLD = 400  # characters of a value in the list
_PART = 30_000  # characters on one page
_SHORT_BODY = 100_000  # characters of a body that its version's page shows by itself


class ComparedMember(NamedTuple):
    """A member that differs, with its text before and after."""

    key: str  # by which its page finds it
    member: Member
    before: list[Span]
    after: list[Span]
    is_cut: bool  # the values go on


@dataclass(frozen=True)
class Comparison:
    """What differs between two versions: a page of the members, and with the first one the body."""

    members: list[ComparedMember]
    page: "Page[str]"
    body_differs: bool
    body: TextComparison | None

    @property
    def page_numbers(self) -> list[Any]:
        return page_numbers(self.page)

    @property
    def differs(self) -> bool:
        return bool(self.members) or self.body_differs


def page_numbers(page: "Page[Any]") -> list[Any]:
    return list(page.paginator.get_elided_page_range(page.number)) if page.paginator.num_pages > 1 else []


def compare_versions(
    words: ChangeWords,
    before: Version,
    after: Version,
    *,
    by_source: bool = False,
    by_decision: bool = False,
    number: str | None = None,
) -> Comparison:
    """What differs, the members by the page of that number, the bodies by what readers see or by their source."""
    budget = Budget()
    differences = words.differences(before[0], after[0], by_decision=by_decision)
    page = Paginator(differences.names, _PER_PAGE).get_page(number)
    rows = list(_rows(differences.told(page.object_list), budget))
    body_differs = before[1] != after[1]
    body = compare_bodies(before[1], after[1], by_source, budget) if body_differs and page.number == 1 else None
    return Comparison(rows, page, body_differs, body)


def compare_bodies(
    before: str, after: str, by_source: bool, budget: Budget, room: Room | None = None
) -> TextComparison:
    return compare_texts(before, after, lines_of if by_source else paragraphs_of, budget, room or Room(_BODY_ROOM))


def compare_member(words: ChangeWords, before: Version, after: Version, key: str) -> tuple[str, TextComparison] | None:
    """The name of the member of this key and what differs in it by lines; None where there is none of it."""
    old, new = (words.texts(version[0]) for version in (before, after))
    name = find_key(key, [*old, *new])
    if name is None:
        return None
    return name, compare_texts(old.get(name, ""), new.get(name, ""), plain_lines, Budget(), Room(_BODY_ROOM))


def plain_lines(text: str) -> Sequence[str]:
    """The text by lines, as far as texts are compared."""
    return text[:MOST].splitlines()


def _rows(told: Sequence[ToldMember], budget: Budget) -> Iterator[ComparedMember]:
    room = Room(_MEMBERS_ROOM)
    for each in told:
        member = Member(*(cut(text, _MOST_NAME) for text in each.member))
        sides = compare_values(each.before, each.after, budget)
        (old, _), (new, _) = shown = [fit_spans(side, Room(min(_SIDE_ROOM, room.left))) for side in sides]
        room.spend(sum(weight_of(span.text) for span in (*old, *new)))
        # What stays the same in a long value is left out, too.
        is_whole = all(fits for _, fits in shown) and max(len(each.before), len(each.after)) <= LONG
        yield ComparedMember(key_of(each.name), member, old, new, not is_whole)


# ---- one version


class PastMember(NamedTuple):
    """A member that is not empty."""

    key: str  # by which its page finds it
    member: Member
    text: str
    is_cut: bool


class Whole(NamedTuple):
    """A part of a member's text, and what the member is called."""

    label: str
    page: "Page[str]"


def members_page(words: ChangeWords, version: Version, number: str | None) -> tuple[list[PastMember], "Page[str]"]:
    """What the version holds, the body left out."""
    texts = words.texts(version[0])
    page = Paginator([name for name, text in texts.items() if text], _PER_PAGE).get_page(number)
    return [_row(words, name, texts[name]) for name in page.object_list], page


def whole_member(words: ChangeWords, version: Version, key: str, number: str | None) -> Whole | None:
    """The member of this key, or the body's source, by the page of that number; None where there is no such member."""
    texts = words.texts(version[0])
    name = BODY_KEY if key == BODY_KEY else find_key(key, texts)
    if name is None:
        return None
    text = version[1] if name == BODY_KEY else texts[name]
    parts = [text[start : start + _PART] for start in range(0, len(text), _PART)]
    label = _("Body") if name == BODY_KEY else words.member(name).label
    return Whole(label, Paginator(parts, 1).get_page(number))


def is_long(body: str) -> bool:
    """Whether the body is shown on a page of its own only."""
    return len(body) > _SHORT_BODY


def _row(words: ChangeWords, name: str, text: str) -> PastMember:
    member = Member(*(cut(each, _MOST_NAME) for each in words.member(name)))
    return PastMember(key_of(name), member, cut(text, _MOST_TOLD), len(text) > _MOST_TOLD)
