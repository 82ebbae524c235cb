"""Text shaping of typed stl values, in SiteServer's order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from core.stl.attributes import Attributes
from core.stl.replacing import replace_literally, replace_text
from core.stl.truncation import ELLIPSIS, cut_words

LINE_BREAK = "<br />"
_SCRIPT_END = re.compile(r"</script\s*>", re.IGNORECASE)
_SCRIPT_START = re.compile("<script", re.IGNORECASE)


@dataclass(frozen=True)
class TextShape:
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
    @lru_cache(500)  # a template has the same attributes for each content
    def of(cls, attributes: Attributes, *, of_content: bool = False, of_summary: bool = False) -> "TextShape":
        """Read the shape with the element's fallbacks: `content` has its own, and its summary one more."""
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
        """Apply all attributes. Raises InvalidInput."""
        text = replace_text(text, self.replace, self.to)
        text = clear_tags(text) if self.clears_tags else text
        if not text:
            return ""
        text = self._cut_words(cut_units(text, self.start_index, self.length))
        text = return_to_br(text) if self.returns_to_br else text
        text = text.lower() if self.lowers else text
        return text.upper() if self.uppers else text

    def shape_body(self, text: str) -> str:
        """Shape a content's body, which has its own short order. Raises InvalidInput."""
        text = clear_tags(text) if self.clears_tags else text
        return self._cut_words(replace_text(text, self.replace, self.to, lists=False))

    def shape_channel_text(self, text: str) -> str:
        """Shape a channel's name or body, which SiteServer shapes twice. Raises InvalidInput."""
        return self.shape(self.shape_body(text))

    def shape_channel_index(self, text: str) -> str:
        """Shape a channel's index, which SiteServer shapes twice. Raises InvalidInput."""
        return self.shape(self._cut_words(replace_text(text, self.replace, self.to, lists=False)))

    def surround(self, text: str, *, existed: bool = False) -> str:
        """Put leftText and rightText around the text; nothing around none, unless it `existed` before shaping."""
        return self.left_text + text + self.right_text if text or existed else ""

    def join_choice(self, stored: str, items: Iterable[tuple[str, str]]) -> str:
        return choice_titles(stored, items, self.separator)

    def _cut_words(self, text: str) -> str:
        return cut_words(text, self.word_num, self.ellipsis)


def clear_tags(text: str) -> str:
    """Remove script elements and tags, in time linear in the length."""
    kept, place = [], 0
    # If this script has no end, no later one has: stop searching.
    while start := _SCRIPT_START.search(text, place):
        body = text.find(">", start.end()) + 1
        if not body or not (end := _SCRIPT_END.search(text, body)):
            break
        kept.append(text[place : start.start()])
        place = end.end()
    text = "".join(kept) + text[place:]
    # No tag ends after the last ">"; searching for an end from each "<" would take quadratic time.
    last = text.rfind(">") + 1
    return re.sub("<[^>]*>", "", text[:last]) + re.sub(r"<\S+", "", text[last:])


def cut_units(text: str, start: int, length: int) -> str:
    """Return a part in UTF-16 units, without half pairs at its edges; the whole text if the part exceeds it."""
    if not start and not length:
        return text
    units = text.encode("utf-16-le", "surrogatepass")  # of two bytes
    end = start + length if length else max(start, len(units) // 2)
    return text if 2 * end > len(units) else units[2 * start : 2 * end].decode("utf-16-le", "ignore")


def return_to_br(text: str) -> str:
    """Trim the text and turn its line ends into <br />. Raises InvalidInput."""
    return replace_literally(text.strip().replace("\r", ""), "\n", LINE_BREAK, "isReturnToBr")


def choice_titles(stored: str, items: Iterable[tuple[str, str]], separator: str = ",") -> str:
    """Return the titles of the stored values in the order of the items (title, value); others are left out."""
    chosen = {value.strip() for value in stored.split(",")}
    return separator.join(title.strip() for title, value in items if value.strip() in chosen)


def style_title(title: str, style: str) -> str:
    """Put the title into the markup of its style, such as `True_False_False_FF0000`: strong, em, u, colour."""
    # A colour of anything but letters and digits is ignored, since it becomes part of the markup.
    parts = style.split("_")
    if len(parts) != 4:
        return title
    *marks, colour = parts
    if re.fullmatch(r"[0-9A-Za-z]{1,20}", colour):
        title = f'<span style="color:#{colour}">{title}</span>'
    for tag, mark in zip(("strong", "em", "u"), marks, strict=True):
        title = f"<{tag}>{title}</{tag}>" if mark.strip().lower() == "true" else title
    return title


def break_double_blanks(text: str) -> str:
    return text.replace("  ", LINE_BREAK)
