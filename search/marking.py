"""Texts with the words that were found, marked."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from search.words import Words, found_in


def marked(text: str, words: Words) -> SafeString:
    pieces: list[str] = []
    done = 0
    for start, end in found_in(text, words):
        pieces += [text[done:start], format_html("<mark>{}</mark>", text[start:end])]
        done = end
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, text[done:]]))
