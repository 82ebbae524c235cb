"""The words by which users are found: of their names, e-mail addresses and mobile numbers."""

from collections.abc import Collection, Iterator

from accounts.models import User
from search.sources import Entry

_NO_SITE = 0
_TEXTS = ("user_name", "display_name", "email", "mobile")


def entries(ids: Collection[int]) -> Iterator[Entry]:
    for number, *texts in User.objects.filter(pk__in=ids).values_list("pk", *_TEXTS):
        yield Entry(number, _NO_SITE, tuple(texts))
