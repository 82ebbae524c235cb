"""The contents of a package as batches, each read while the one before it is being written."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from transfer.package import ChannelRecord, ContentRecord, SitePackage

BATCH = 500
# Bodies may be large: a batch ends early once it holds this many characters.
BATCH_CHARACTERS = 4 * 1024**2

Item = TypeVar("Item")


class PlacedContent(NamedTuple):
    channel: ChannelRecord
    content: ContentRecord


Batch = list[PlacedContent]


def read_batches(package: SitePackage) -> Iterator[Batch]:
    """Yield all contents of the package in their order, a limited number and size at a time."""
    batch: Batch = []
    characters = 0
    for channel in package.channels():
        for content in package.contents(channel):
            batch.append(PlacedContent(channel, content))
            characters += count_characters(content)
            if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch


def count_characters(content: ContentRecord) -> int:
    """Return how much text the content holds."""
    values = (*content.fields.values(), *content.settings.values())
    return sum(len(value) for value in values if isinstance(value, str))


def read_ahead(items: Iterator[Item]) -> Generator[Item]:
    """Yield the items; while one is in use, a thread already reads the next.

    The database works most of the time of an import, so that reading costs hardly any of its own.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="read-ahead") as reader:
        coming = reader.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = reader.submit(next, items, None)
            yield item
