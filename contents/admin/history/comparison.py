"""Compares two versions, or shows one, in a page of bounded size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from contents.admin.history.descriptions import ChangeWords, DescribedMember, find_key, key_of
from contents.admin.history.texts import (
    TextBudget,
    TextComparison,
    compare_texts,
    compare_values,
    cut,
    paragraphs_of,
    plain_lines,
    source_lines,
)
from core.lib.differences import Budget

Version = tuple[Mapping[str, Any], str]  # members by attribute name, and the body

_PER_PAGE = 50  # members
_BODY_ROOM = 120_000  # bytes of the page for differences of bodies
_MEMBERS_ROOM = 80_000  # bytes for values of members
_SIDE_ROOM = 700  # bytes of one value
BODY_KEY = "content"  # the API's name of the body, which no attribute has
_MAX_TOLD = 400  # characters of a value in the list
_PART = 30_000  # characters per page


@dataclass(frozen=True)
class Comparison:
    """One page of differing members; the first page includes the body."""

    members: list[dict[str, Any]]
    page: "Page[DescribedMember]"
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
    budget, room = Budget(), TextBudget(_MEMBERS_ROOM)
    differences = words.differences(before[0], after[0], by_decision=by_decision)
    page = Paginator(differences, _PER_PAGE).get_page(number)
    members = []
    for each in page.object_list:
        old, new, is_whole = compare_values(each.before, each.after, budget, room, _SIDE_ROOM)
        shown = {"key": key_of(each.name), "member": each.member.shortened(), "before": old, "after": new}
        members.append(shown | {"is_cut": not is_whole})
    body_differs = before[1] != after[1]
    body = compare_bodies(before[1], after[1], by_source, budget) if body_differs and page.number == 1 else None
    return Comparison(members, page, body_differs, body)


def compare_bodies(
    before: str, after: str, by_source: bool, budget: Budget, room: TextBudget | None = None
) -> TextComparison:
    return compare_texts(
        before, after, source_lines if by_source else paragraphs_of, budget, room or TextBudget(_BODY_ROOM)
    )


def compare_member(words: ChangeWords, before: Version, after: Version, key: str) -> tuple[str, TextComparison] | None:
    """The label of the member with this key and its differences by line; None if missing."""
    old, new = (words.texts(version[0]) for version in (before, after))
    name = find_key(key, [*old, *new])
    if name is None:
        return None
    text = compare_texts(old.get(name, ""), new.get(name, ""), plain_lines, Budget(), TextBudget(_BODY_ROOM))
    return words.member(name).label, text


# ---- one version


def members_page(words: ChangeWords, version: Version, number: str | None) -> tuple[list[dict[str, Any]], "Page[str]"]:
    """A page of the non-empty members, without the body."""
    texts = words.texts(version[0])
    page = Paginator([name for name, text in texts.items() if text], _PER_PAGE).get_page(number)
    found = []
    for name in page.object_list:
        shown = {"key": key_of(name), "member": words.member(name).shortened(), "text": cut(texts[name], _MAX_TOLD)}
        found.append(shown | {"is_cut": len(texts[name]) > _MAX_TOLD})
    return found, page


def whole_member(words: ChangeWords, version: Version, key: str, number: str | None) -> tuple[str, "Page[str]"] | None:
    """The label and a part of the text of the member with this key, or of the body; None if missing."""
    if key == BODY_KEY:
        label, text = _("Body"), version[1]
    else:
        texts = words.texts(version[0])
        name = find_key(key, texts)
        if name is None:
            return None
        label, text = words.member(name).label, texts[name]
    parts = [text[start : start + _PART] for start in range(0, len(text), _PART)]
    return label, Paginator(parts, 1).get_page(number)
