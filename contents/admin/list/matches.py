"""Why a content is found by words: the matches in its title, and the other members that have one."""

from collections.abc import Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from contents.admin.field_labels import label_of_field
from contents.models import Content
from contents.search.terms import COLUMNS, Words, found_in


def marked(text: str, words: Words) -> SafeString:
    """The text with a mark around each match."""
    return format_html_join("", "{}", ((piece,) for piece in _pieces(text, words)))


def other_matches(content: Content, words: Words) -> SafeString:
    """The members besides the title that have a match, a line each: subtitle, tags and author."""
    found = [
        (capfirst(str(label_of_field(column))), _(": "), marked(text, words))
        for column in COLUMNS[1:]
        if found_in(text := getattr(content, column), words)
    ]
    return format_html_join("", '<span class="match">{}{}{}</span>', found)


def _pieces(text: str, words: Words) -> Iterator[str]:
    done = 0
    for start, end in found_in(text, words):
        yield text[done:start]
        yield format_html("<mark>{}</mark>", text[start:end])
        done = end
    yield text[done:]
