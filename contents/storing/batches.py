"""Divides contents into portions whose long texts fit into memory, however long each of them is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.db.models import F
from django.db.models.functions import Coalesce, Length

from contents.models import Content

# Members of a content that may be long, and the lookup of its body, which is one in any case.
LONG = ("summary", "settings_xml")
BODY_TEXT = "body__text"
_MOST = 4_000_000  # characters of a portion; a longer text is one of its own
_BATCH = 500  # contents whose lengths are read by one statement


def portions(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    """The numbers in their order, as many at a time as fit; `texts` are the long members, by lookup."""
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        lengths = _lengths(batch, texts) if len(batch) > 1 else {}
        portion: list[int] = []
        size = 0
        for number in batch:
            length = lengths.get(number, 0)
            if portion and size + length > _MOST:
                yield portion
                portion, size = [], 0
            portion.append(number)
            size += length
        yield portion


def with_texts(contents: Iterable[Content], texts: Sequence[str]) -> Iterator[list[Content]]:
    """The contents in portions, with these long members for as long as a portion is looked at."""
    found = {content.pk: content for content in contents}
    for numbers in portions(list(found), texts):
        portion = [found[number] for number in numbers]
        _read_texts(found, numbers, texts)
        yield portion
        for content in portion:
            for text in texts:
                delattr(content, text)  # read again where somebody asks


def _read_texts(contents: Mapping[int, Content], numbers: Sequence[int], texts: Sequence[str]) -> None:
    for number, *values in Content.objects.filter(pk__in=numbers).values_list("pk", *texts):
        for text, value in zip(texts, values, strict=True):
            setattr(contents[number], text, value)


def _lengths(numbers: Sequence[int], texts: Sequence[str]) -> dict[int, int]:
    total = sum((Coalesce(Length(F(text)), 0) for text in texts[1:]), start=Coalesce(Length(F(texts[0])), 0))
    return dict(Content.objects.filter(pk__in=numbers).values_list("pk", total))
