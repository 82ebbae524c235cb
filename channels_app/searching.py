"""The words by which channels are found: of their names, keywords, descriptions and texts."""

from collections.abc import Collection, Iterator

from channels_app.models import Channel
from search.plain_text import plain_text
from search.sources import Entry

_TEXTS = ("channel_name", "index_name", "keywords", "description", "content")


def entries(ids: Collection[int]) -> Iterator[Entry]:
    rows = Channel.objects.live().filter(pk__in=ids)
    for number, site_id, *texts in rows.values_list("pk", "site", *_TEXTS):
        yield Entry(number, site_id, tuple(map(plain_text, texts)))
