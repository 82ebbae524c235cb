"""The members of a version: a page of them, cut where they are long, and each one whole, in parts."""

from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from contents.admin.history.byte_budget import cut
from contents.admin.history.comparison import MOST_NAME, Version
from contents.admin.history.words import ChangeWords, Member, find_key, key_of

BODY_KEY = "content"  # as the API names it; no member is called so
_PER_PAGE = 50  # members
_MOST = 400  # characters of a value in the list
_PART = 30_000  # characters on one page
_SHORT_BODY = 100_000  # characters of a body that its version's page shows by itself


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
    member = Member(*(cut(each, MOST_NAME) for each in words.member(name)))
    return PastMember(key_of(name), member, cut(text, _MOST), len(text) > _MOST)
