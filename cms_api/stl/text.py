"""Text shaping of typed stl values, in the order of the original (template-tags §5)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cms_api.stl.attributes import Attributes
from cms_api.stl.replacing import replace_literally, replace_text
from cms_api.stl.words import ELLIPSIS, cut_words

LINE_BREAK = "<br />"
_SCRIPT_END = re.compile(r"</script\s*>", re.IGNORECASE)
_SCRIPT_START = re.compile("<script", re.IGNORECASE)
_TAG = re.compile("<[^>]*>")
_OPEN_TAG = re.compile(r"<\S+")
_COLOUR = re.compile(r"[0-9A-Za-z]{1,20}")
_UTF16 = "utf-16-le"
_UNIT_BYTES = 2


@dataclass(frozen=True)
class TextShape:
    """What the text attributes of a request ask for."""

    replace: str = ""
    to: str = ""
    clears_tags: bool = False
    start_index: int = 0
    length: int = 0
    word_num: int = 0
    ellipsis: str = ELLIPSIS
    returns_to_br: bool = False
    lowers: bool = False
    uppers: bool = False
    left_text: str = ""
    right_text: str = ""
    separator: str = ","
    format_string: str = ""

    @classmethod
    def of(cls, attributes: Attributes, *, of_content: bool = False, of_summary: bool = False) -> "TextShape":
        """The shape read with the fallbacks of the element: `content` has its own, and its summary one more."""
        # An empty isReturnToBr counts as absent on content.
        breaks = of_summary if of_content and not attributes.text("isReturnToBr") else of_content
        return cls(
            replace=attributes.text("replace"),
            to=attributes.text("to"),
            clears_tags=attributes.boolean("isClearTags", unparsable=of_content),
            start_index=attributes.integer("startIndex"),
            length=attributes.integer("length"),
            word_num=attributes.integer("wordNum"),
            ellipsis=attributes.text("ellipsis", ELLIPSIS),
            returns_to_br=attributes.boolean("isReturnToBr", absent=of_summary, unparsable=breaks),
            lowers=attributes.boolean("isLower", unparsable=True),
            uppers=attributes.boolean("isUpper", unparsable=True),
            left_text=attributes.text("leftText"),
            right_text=attributes.text("rightText"),
            separator=attributes.text("separator", ","),
            format_string=attributes.text("formatString"),
        )

    def shape(self, text: str) -> str:
        """The text after the whole pipeline. Raises InvalidInput."""
        text = self._clear(replace_text(text, self.replace, self.to)) if text else ""
        if not text:
            return ""
        text = self._cut_words(cut_units(text, self.start_index, self.length))
        text = return_to_br(text) if self.returns_to_br else text
        text = text.lower() if self.lowers else text
        return text.upper() if self.uppers else text

    def shape_body(self, text: str) -> str:
        """The body of a content after its own short order. Raises InvalidInput."""
        return self._cut_words(self._replace_once(self._clear(text)))

    def shape_channel_text(self, text: str) -> str:
        """The name or body of a channel, which the original shapes twice. Raises InvalidInput."""
        return self.shape(self.shape_body(text))

    def shape_channel_index(self, text: str) -> str:
        """The index of a channel, which the original shapes twice. Raises InvalidInput."""
        return self.shape(self._cut_words(self._replace_once(text)))

    def surround(self, text: str, *, existed: bool = False) -> str:
        """The text between leftText and rightText; nothing if there is no text.

        On a channel a value that existed before shaping is surrounded even when shaping emptied it.
        """
        return self.left_text + text + self.right_text if text or existed else ""

    def join_choice(self, stored: str, items: Iterable[tuple[str, str]]) -> str:
        """The titles of the chosen values of a choice field, joined with the separator."""
        return choice_titles(stored, items, self.separator)

    def _clear(self, text: str) -> str:
        return clear_tags(text) if self.clears_tags else text

    def _replace_once(self, text: str) -> str:
        return replace_text(text, self.replace, self.to, lists=False)

    def _cut_words(self, text: str) -> str:
        return cut_words(text, self.word_num, self.ellipsis)


def clear_tags(text: str) -> str:
    """The text without script elements and tags, in time that grows with its length only."""
    kept, place = [], 0
    # Without an end behind this one no later script has an end either: each search goes on, none begins anew.
    while start := _SCRIPT_START.search(text, place):
        body = text.find(">", start.end()) + 1
        if not body or not (end := _SCRIPT_END.search(text, body)):
            break
        kept.append(text[place : start.start()])
        place = end.end()
    text = "".join(kept) + text[place:]
    # Behind the last ">" no tag ends: looking for an end from each "<" would take the length squared.
    last = text.rfind(">") + 1
    return _TAG.sub("", text[:last]) + _OPEN_TAG.sub("", text[last:])


def cut_units(text: str, start: int, length: int) -> str:
    """A part of the text, counted in units of UTF-16; the whole text if the part reaches beyond its end.

    Half a surrogate pair at an edge is dropped.
    """
    if not start and not length:
        return text
    units = text.encode(_UTF16, "surrogatepass")
    end = start + length if length else max(start, len(units) // _UNIT_BYTES)
    if end * _UNIT_BYTES > len(units):
        return text
    return units[start * _UNIT_BYTES : end * _UNIT_BYTES].decode(_UTF16, "ignore")


def return_to_br(text: str) -> str:
    """The trimmed text with line breaks of HTML. Raises InvalidInput."""
    return replace_literally(text.strip().replace("\r", ""), "\n", LINE_BREAK, "isReturnToBr")


def choice_titles(stored: str, items: Iterable[tuple[str, str]], separator: str = ",") -> str:
    """The titles of the stored values in the order of the items (title, value); others are left out."""
    chosen = {value.strip() for value in stored.split(",")}
    return separator.join(title.strip() for title, value in items if value.strip() in chosen)


def style_title(title: str, style: str) -> str:
    """The title in the markup of its stored style, such as `True_False_False_FF0000`: strong, em, u, colour.

    A colour that is more than letters and digits is ignored, since it would end up in markup.
    """
    parts = style.split("_")
    if len(parts) != len(("strong", "em", "u", "colour")):
        return title
    *marks, colour = parts
    if _COLOUR.fullmatch(colour):
        title = f'<span style="color:#{colour}">{title}</span>'
    for tag, mark in zip(("strong", "em", "u"), marks, strict=True):
        title = f"<{tag}>{title}</{tag}>" if mark.strip().lower() == "true" else title
    return title


def break_double_blanks(text: str) -> str:
    """A title with a line break for every two blanks, as a site can ask for in its settings."""
    return text.replace("  ", LINE_BREAK)
