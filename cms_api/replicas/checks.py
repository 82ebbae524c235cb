"""What is wrong with the settings of replicas."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings

_SCHEMES = {"postgres", "postgresql"}
_LEAST, _MOST = 2, 3600  # seconds; measures are of the last second


def wrong_replicas() -> Iterator[str]:
    """A sentence for each. Addresses are not repeated, since they may hold passwords."""
    if not _LEAST <= (lag := settings.CMS_REPLICA_MAX_LAG_SECONDS) <= _MOST:
        yield f"CMS_REPLICA_MAX_LAG_SECONDS must be a number from {_LEAST} to {_MOST}, and is {lag:g}."
    urls = settings.CMS_DATABASE_REPLICA_URLS
    if not urls:
        return
    for number, url in enumerate(urls, 1):
        if not _can_be_read(url):
            yield f"CMS_DATABASE_REPLICA_URLS: address {number} is not like postgres://user:password@host:port/name."
    if settings.DATABASES["default"]["ENGINE"] != "cms_api.lib.postgresql":
        yield "CMS_DATABASE_REPLICA_URLS needs PostgreSQL as the database (CMS_DATABASE_URL)."
    if not settings.CMS_CACHE_URL:
        yield "CMS_DATABASE_REPLICA_URLS needs Redis (CMS_CACHE_URL), so that clients read what they have written."


def _can_be_read(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in _SCHEMES and bool(parts.hostname and parts.path.strip("/")) and parts.port != 0
    except ValueError:
        return False
