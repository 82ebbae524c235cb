from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from core.lib.environment import read_database

_SCHEMES = ("postgres://", "postgresql://", "pgsql://")


def wrong_replicas() -> Iterator[str]:
    """Yield a sentence for each wrong setting. Addresses are not repeated, since they may hold passwords."""
    urls = settings.CMS_DATABASE_REPLICA_URLS
    if not urls:
        return
    for number, url in enumerate(urls, 1):
        name = f"CMS_DATABASE_REPLICA_URLS: address {number}"
        try:
            database = read_database(name, url) if url.startswith(_SCHEMES) else None
        except ImproperlyConfigured as error:
            yield str(error)
            continue
        if database is None or not database["HOST"]:
            yield f"{name} is not like postgres://user:password@host:port/name."
    if settings.DATABASES["default"]["ENGINE"] != "core.lib.postgresql":
        yield "CMS_DATABASE_REPLICA_URLS needs PostgreSQL as the database (CMS_DATABASE_URL)."
    if not settings.CMS_CACHE_URL:
        yield "CMS_DATABASE_REPLICA_URLS needs Redis (CMS_CACHE_URL), so that clients read what they have written."
