"""Splits contents into portions whose long texts fit into memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import F, Value
from django.db.models.functions import Coalesce, Length

from contents.models import Content

# Members that may be long, and the lookup of the body.
LONG = ("summary", "settings_xml")
BODY_TEXT = "body__text"
_MAX = 4_000_000  # characters per portion; a longer text is a portion of its own
_BATCH = 500  # contents per statement that reads lengths


def portions(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    """Split the content ids, in order, into portions that fit; `texts` are the lookups of the long members."""
    none: Any = Value(0)
    total = sum((Coalesce(Length(F(text)), 0) for text in texts), start=none)
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        rows = Content.objects.filter(pk__in=batch).values_list("pk", total)
        lengths = dict(rows) if len(batch) > 1 else {}
        portion: list[int] = []
        size = 0
        for number in batch:
            length = lengths.get(number, 0)
            if portion and size + length > _MAX:
                yield portion
                portion, size = [], 0
            portion.append(number)
            size += length
        yield portion


def with_texts(contents: Iterable[Content], texts: Sequence[str]) -> Iterator[list[Content]]:
    found = {content.pk: content for content in contents}
    for numbers in portions(list(found), texts):
        for number, *values in Content.objects.filter(pk__in=numbers).values_list("pk", *texts):
            vars(found[number]).update(zip(texts, values, strict=True))
        portion = [found[number] for number in numbers]
        yield portion
        for content in portion:
            for text in texts:
                delattr(content, text)  # deferred again
