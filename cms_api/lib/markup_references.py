"""References to characters (`&amp;`) written as the cleaner's parser reads them fast.

An ampersand that begins none sends the parser back, at a cost that grows with all that is still to come.
"""

import re
from html.entities import html5

_MOST_OPEN = 50_000  # references without their semicolon; what they mean depends on where they stand
_MOST = 100_000  # ampersands; each costs more than the one before: these take half a second
_LEGACY = frozenset(name for name in html5 if not name.endswith(";"))
_LONGEST = max(map(len, _LEGACY))
_AMPERSAND = re.compile(r"&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+)|([a-zA-Z][a-zA-Z0-9]{0,40};?))?")


class TooManyReferences(ValueError):
    """More references without their semicolon than the parser can take."""


def mark_ampersands(text: str) -> str:
    """The same markup, ampersands that begin no reference written as `&amp;`. Raises TooManyReferences."""
    if text.count("&") > _MOST:
        raise TooManyReferences(f"At most {_MOST} ampersands may stand in a text.")
    number = 0

    def written(match: re.Match[str]) -> str:
        nonlocal number
        whole, name = match[0], match[1]
        if (name in html5 and name[-1] == ";") if name else len(whole) > 1:
            return whole
        if name and any(name[:length] in _LEGACY for length in range(2, _LONGEST + 1)):
            number += 1
            return whole
        return f"&amp;{whole[1:]}"

    marked = _AMPERSAND.sub(written, text)
    if number > _MOST_OPEN:
        raise TooManyReferences(f"At most {_MOST_OPEN} references to characters may lack their semicolon.")
    return marked
