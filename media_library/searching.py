"""The words by which files are found: of their titles, paths, alternative texts, credits and tags."""

import re
from collections.abc import Collection, Iterator

from media_library.models import MediaFile, MediaFileQuerySet
from search import rows
from search.sources import Entry

_TEXTS = ("title", "path", "alternative_text", "credit", "tags")
_BEFORE_NUMBER = re.compile(r"(?<=[A-Za-z])(?=\d)")  # DSC0123 is found by 0123, too


def entries(ids: Collection[int]) -> Iterator[Entry]:
    # Sites in the trash are left out: their files are deleted without events. Restoring a site makes new ones.
    files = MediaFile.objects.listed().filter(pk__in=ids, site__trashed_at=None)
    for number, site_id, *texts in files.values_list("pk", "site", *_TEXTS):
        title, path, *others = texts
        names = (path, _BEFORE_NUMBER.sub(" ", path.rpartition("/")[2]))
        yield Entry(number, site_id, (title, *names, *others), tags=tuple(others[-1].split(",")))


def with_words(files: MediaFileQuerySet, text: str, site_ids: Collection[int] | None = None) -> MediaFileQuerySet:
    """Return those of the files that have all words of the text; all files if it is empty.

    While the index is built, a word matches anywhere in a text.
    """
    return rows.with_words("media", files, text, lambda files: files.with_texts(text.split()), site_ids)
