"""Entries by words in their values."""

from collections.abc import Iterable
from typing import Any

from django.db.models import BooleanField, Func, QuerySet, Value

from forms.models import Entry

MAX_SEARCHED = 10_000  # the newest entries


class HasText(Func):
    """True if a text anywhere in a JSON value, or in its member `number`, matches the pattern of LIKE."""

    output_field = BooleanField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, tuple[Any, ...]]:
        json, pattern, params = self._compiled(compiler)
        path = f"""'$."{self.extra["number"]:d}"'""" if "number" in self.extra else "'$'"
        texts = f"json_tree({json}, {path}) leaf WHERE leaf.type = 'text'"
        return f"EXISTS (SELECT 1 FROM {texts} AND leaf.atom LIKE {pattern} ESCAPE '\\')", params

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, tuple[Any, ...]]:
        json, pattern, params = self._compiled(compiler)
        path = f"""lax $."{self.extra["number"]:d}"[*]""" if "number" in self.extra else "strict $.**"
        texts = f"jsonb_path_query({json}, '{path}') leaf WHERE jsonb_typeof(leaf) = 'string'"
        return f"EXISTS (SELECT 1 FROM {texts} AND leaf #>> '{{}}' ILIKE {pattern})", params

    def _compiled(self, compiler: Any) -> tuple[str, str, tuple[Any, ...]]:
        (json, first), (pattern, second) = (compiler.compile(each) for each in self.get_source_expressions())
        return json, pattern, (*first, *second)


def with_words(entries: QuerySet[Entry], words: Iterable[str]) -> QuerySet[Entry]:
    """Return those of the newest MAX_SEARCHED entries that have each of the words in a value."""
    newest = entries.order_by("-created_at", "-pk").values("pk")[:MAX_SEARCHED]
    found = entries.filter(pk__in=newest)
    for word in words:
        found = found.filter(HasText("values", Value(f"%{escaped(word)}%")))
    return found


def escaped(text: str) -> str:
    """Return a pattern of LIKE for the text itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
