"""What is wrong with the settings of replicas."""

from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from cms_api.lib.start_settings import read_database

_SCHEMES = ("postgres://", "postgresql://", "pgsql://")
_LEAST, _MOST = 2, 3600  # seconds; measures are of the last second


def wrong_replicas() -> Iterator[str]:
    """A sentence for each. Addresses are not repeated, since they may hold passwords."""
    if not _LEAST <= (lag := settings.CMS_REPLICA_MAX_LAG_SECONDS) <= _MOST:
        yield f"CMS_REPLICA_MAX_LAG_SECONDS must be a number from {_LEAST} to {_MOST}, and is {lag:g}."
    urls = settings.CMS_DATABASE_REPLICA_URLS
    if not urls:
        return
    for number, url in enumerate(urls, 1):
        yield from _wrong_address(f"CMS_DATABASE_REPLICA_URLS: address {number}", url)
    if settings.DATABASES["default"]["ENGINE"] != "cms_api.lib.postgresql":
        yield "CMS_DATABASE_REPLICA_URLS needs PostgreSQL as the database (CMS_DATABASE_URL)."
    if not settings.CMS_CACHE_URL:
        yield "CMS_DATABASE_REPLICA_URLS needs Redis (CMS_CACHE_URL), so that clients read what they have written."


def _wrong_address(name: str, url: str) -> Iterator[str]:
    try:
        database = read_database(name, url) if url.startswith(_SCHEMES) else None
    except ImproperlyConfigured as error:
        yield str(error)
        return
    if database is None or not database["HOST"]:
        yield f"{name} is not like postgres://user:password@host:port/name."
