"""Where entries: rules, and groups of entries, from their JSON to SQL."""

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from django.conf import settings

from cms_api.rest.errors import BadRequest
from cms_api.rest.fields import invalid
from cms_api.rest.names import refuse_two_spellings
from contents.lists.request import refuse_many
from contents.rules.conditions import Condition, join, negate
from contents.rules.rule import WhereEntry, WhereGroup, WhereRule

if TYPE_CHECKING:
    from contents.rules.writer import Rules

MAX_LEVELS = 10  # of groups in groups
_MANY = ("any", "all")
_WORDS = (*_MANY, "not")
_OF_RULES = ("column", "operator", "value")
ReadRule = Callable[[dict[str, Any], str], WhereRule]


class EntryReader:
    """Reads the entries of one request; all of them together have at most CMS_MAX_RULES rules."""

    def __init__(self, read_rule: ReadRule) -> None:
        self._read_rule, self._rules = read_rule, 0

    def read(self, value: Any, name: str, level: int = 0) -> tuple[WhereEntry, ...]:
        """The entries of a JSON list. Raises BadRequest naming the entry that is wrong by its place."""
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid(name, "a list of JSON objects")
        refuse_many(name, len(value), settings.CMS_MAX_RULES)
        return tuple(self._entry(item, f"{name}[{place}]", level) for place, item in enumerate(value))

    def _entry(self, item: dict[str, Any], name: str, level: int) -> WhereEntry:
        words = {key.casefold(): key for key, value in item.items() if value is not None}
        word = next((word for word in _WORDS if word in words), None)
        if word is None:
            self._count()
            return self._read_rule(item, name)
        refuse_two_spellings(f"{name}.{key}" for key in item)
        for other in (*_WORDS, *_OF_RULES):
            if other != word and other in words:
                raise BadRequest(
                    "invalid_value", f"{name} has both {words[word]} and {words[other]}; send one of them."
                )
        return self._group(word, item[words[word]], name, level + 1)

    def _group(self, word: str, value: Any, name: str, level: int) -> WhereGroup:
        if level > MAX_LEVELS:
            raise BadRequest("invalid_value", f"{name} is nested deeper than {MAX_LEVELS} levels of groups.")
        name = f"{name}.{word}"
        if word in _MANY:
            entries = self.read(value, name, level)
            if not entries:
                raise invalid(name, "a list of at least one entry")
            return WhereGroup(word, entries)
        if not isinstance(value, dict):
            raise invalid(name, "a JSON object")
        return WhereGroup(word, (self._entry(value, name, level),))

    def _count(self) -> None:
        self._rules += 1
        if self._rules > settings.CMS_MAX_RULES:
            message = f"wheres has more than {settings.CMS_MAX_RULES} rules in all of its groups together."
            raise BadRequest("too_many_entries", message, member="wheres")


def to_condition(entry: WhereEntry, rules: "Rules") -> Condition:
    """The entry over `c`, `b` and `s`, values bound. Raises BadRequest naming what is wrong with a rule."""
    if isinstance(entry, WhereRule):
        return rules.where(entry)
    if entry.word == "not":
        return negate(to_condition(entry.entries[0], rules))
    parts = [(_levels(part), to_condition(part, rules)) for part in entry.entries]
    # SQLite's parser has 100 places for what is open, and a part that stands later needs more of them.
    parts.sort(key=itemgetter(0), reverse=True)
    return join((part for _, part in parts), " AND " if entry.word == "all" else " OR ")


def _levels(entry: WhereEntry) -> int:
    return 0 if isinstance(entry, WhereRule) else 1 + max(map(_levels, entry.entries))
