import re
from collections.abc import Iterable, Iterator

from django.http import QueryDict

from core.rest.fields import invalid

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
# At most as many digits as 64 bits have, so that no text is too long to convert.
_DIGITS = re.compile(r"\s*+([+-]?)(?=\d)0*+(\d{0,19})\s*", re.ASCII)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BOOLEANS = {"true": True, "false": False}


class Attributes:
    """Attributes of a template tag by name in any case; unreadable values mean the fallback, as in SiteServer v6."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        spellings: dict[str, str] = {}
        values: dict[str, list[str]] = {}
        for name, value in pairs:
            if name:
                spellings.setdefault(name.lower(), name)
                values.setdefault(name.lower(), []).append(value)
        self._spellings = spellings
        # A single value stays the same object: pages recognise texts of visitors by their class.
        self._values = {name: each[0] if len(each) == 1 else ",".join(each) for name, each in values.items()}

    @classmethod
    def of(cls, query: QueryDict | Iterable[tuple[str, str]]) -> "Attributes":
        """Take a query string, or names and values in the order of one."""
        if isinstance(query, QueryDict):
            query = ((name, str(value)) for name, values in query.lists() for value in values)
        return cls(query)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def items(self) -> Iterator[tuple[str, str]]:
        """Return lower-case names and values in query order."""
        return ((name, self.text(name)) for name in self._values)

    def replaced(self, **texts: str | None) -> "Attributes":
        """Return the attributes with these values instead of their own; None removes an attribute."""
        names = {name.lower() for name in texts}
        kept = [(name, value) for name, value in self.items() if name not in names]
        return Attributes([*kept, *((name, text) for name, text in texts.items() if text is not None)])

    def text(self, name: str, default: str = "") -> str:
        value = self._values.get(name.lower(), default)
        if _UNSTORABLE.search(value):
            raise invalid(self._spellings[name.lower()], "a text without NUL characters and unpaired surrogates")
        return value

    def integer(self, name: str, default: int = 0) -> int:
        """Return a count of 32 bits; 0 if it is negative or no number, the default only if it is absent."""
        return max(_number(self.text(name), INT32_MAX), 0) if name in self else default

    def signed(self, name: str) -> int:
        """Return an id of 64 bits, possibly negative; 0 if it is absent or no number."""
        return _number(self.text(name), INT64_MAX)

    def boolean(self, name: str, *, absent: bool = False, unparsable: bool = False) -> bool:
        """Return true or false as sent, else one of the attribute's two fallbacks."""
        if name not in self:
            return absent
        return _BOOLEANS.get(self.text(name).strip().lower(), unparsable)

    def names(self, name: str) -> list[str]:
        """Return the items of a comma list, trimmed, without empty ones."""
        return [item for item in map(str.strip, self.text(name).split(",")) if item]

    def ids(self, name: str) -> list[int]:
        """Return the ids of a comma list, without items that are none."""
        return [number for item in self.names(name) if (number := _number(item, INT64_MAX)) > 0]


def _number(text: str, maximum: int) -> int:
    match = _DIGITS.fullmatch(text)
    number = int(f"{match[1]}0{match[2]}") if match else 0
    return number if -maximum - 1 <= number <= maximum else 0
