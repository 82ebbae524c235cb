"""Entries by a text in their values."""

from typing import Any

from django.db.models import BooleanField, Func, QuerySet, Value

from forms.models import Entry

MAX_SEARCHED = 10_000  # the newest entries


class _HasText(Func):
    """Whether one of the texts of a JSON value is like the pattern."""

    output_field = BooleanField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, list[Any]]:
        template = (
            "EXISTS (SELECT 1 FROM json_tree({}) leaf WHERE leaf.type = 'text' AND leaf.atom LIKE {} ESCAPE '\\')"
        )
        return self._fill(template, compiler)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, list[Any]]:
        texts = "jsonb_path_query({}, 'strict $.**') leaf WHERE jsonb_typeof(leaf) = 'string'"
        return self._fill(f"EXISTS (SELECT 1 FROM {texts} AND leaf #>> '{{{{}}}}' ILIKE {{}})", compiler)

    def _fill(self, template: str, compiler: Any) -> tuple[str, list[Any]]:
        found = [compiler.compile(each) for each in self.get_source_expressions()]
        return template.format(*(sql for sql, _params in found)), [each for _sql, params in found for each in params]


def with_words(entries: QuerySet[Entry], words: list[str]) -> QuerySet[Entry]:
    """Return those of the newest MAX_SEARCHED entries that have each of the words in a value."""
    newest = entries.order_by("-created_at", "-pk").values("pk")[:MAX_SEARCHED]
    found = entries.filter(pk__in=newest)
    for word in words:
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = found.filter(_HasText("values", Value(f"%{escaped}%")))
    return found
