"""Words of spam in what visitors send."""

import re
from collections.abc import Iterable
from unicodedata import normalize

# Scripts that put no blanks between words: Chinese, Japanese, Korean with its endings, Thai, Lao, Burmese, Khmer.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3040-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
_PARTS = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def has_spam_word(lines: str, texts: Iterable[str]) -> bool:
    """Return true if a text has the word of a line: whole, or anywhere if its script puts no blanks between words.

    Letter case, width and characters without a shape make no difference.
    """
    words = [(word, _needle(word)) for line in lines.splitlines() if (word := _folded(line))]
    return bool(words) and any(_has_any(words, _folded(text)) for text in texts)


def _has_any(words: list[tuple[str, str]], text: str) -> bool:
    parts = f" {_in_parts(text)} "
    return any(word in text and needle in parts for word, needle in words)


def _needle(word: str) -> str:
    parts = _in_parts(word)
    if not parts:  # of signs alone
        return ""
    before, after = ("" if _IS_UNSPACED.match(end) else " " for end in (parts[0], parts[-1]))
    return f"{before}{parts}{after}"


def _in_parts(text: str) -> str:
    return " ".join(_PARTS.findall(text))


def _folded(text: str) -> str:
    return " ".join(_UNSEEN.sub("", normalize("NFKC", text)).casefold().split())
