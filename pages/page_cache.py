"""Whole pages, cached in the process and in Redis under the numbers of their site.

Each request reads the numbers before it looks for the page, and a page is cached under the numbers that were read
before it was rendered. A page is therefore never older than the last change. See docs/decisions/0017-page-cache.md.
"""

import os
from functools import cache, partial
from hashlib import sha256
from logging import getLogger
from threading import Lock
from time import monotonic
from typing import NamedTuple

from cachetools import LRUCache
from django.conf import settings
from django.utils.http import quote_etag

from core.lib.cache_counts import CacheCounts
from core.lib.circuit_breaker import CircuitBreaker
from core.lib.redis_client import FAILURES, connect
from core.rest.conditional import tag_of
from pages.site_lookup import Version

_OVERHEAD = 1000  # bytes of an entry in addition to the page
_SHARE_OF_QUERIES = 1 / 8  # of the memory, since strangers may send any query
_MAX_QUERY = 200  # characters
_LARGEST = 1 / 32  # of the memory, for one page
_TIMEOUT, _PAUSE = 0.25, 5.0  # seconds for a response of Redis, and without requests to a failed one
_BY_QUERY, _ALWAYS = b"?", b"="  # the first byte of a page in Redis
logger = getLogger(__name__)


class Key(NamedTuple):
    """The address of a page: site, path below the folder of the site, and query."""

    site_id: int
    path: str
    has_own_host: bool  # such pages have other headers
    query: str = ""


class KeptPage(NamedTuple):
    content: bytes
    etag: str
    version: Version | None  # None if triggers were off; such a page is not cached
    until: float  # monotonic seconds
    is_by_query: bool  # whether another query may show another page
    headers: dict[int, list[tuple[str, str]]]  # of the response by status, as the middleware has made it


def make_page(content: bytes, version: Version | None, seconds: float, *, is_by_query: bool) -> KeptPage:
    etag = quote_etag(sha256(content).hexdigest()[:32])
    return KeptPage(content, etag, version, monotonic() + seconds, is_by_query, {})


class PageCache:
    """Pages of one process by their address; the least recently used make room for others."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._pages: LRUCache[Key, KeptPage] = LRUCache(max_bytes, _size)
        self._by_query: LRUCache[Key, KeptPage] = LRUCache(max_bytes * _SHARE_OF_QUERIES, _size)
        self._lock = Lock()
        self._counts = CacheCounts("pages")

    def find(self, key: Key, version: Version) -> KeptPage | None:
        with self._lock:
            found = self._pages.get(key._replace(query="") if key.query else key)
            if key.query and not (found and found.version == version and not found.is_by_query):
                found = self._by_query.get(key)
            if found is not None and (found.version != version or found.until < monotonic()):
                found = None
            self._counts.hits += found is not None
            self._counts.misses += found is None
        return found

    def may_keep(self, page: KeptPage) -> bool:
        return len(page.content) <= self.max_bytes * _LARGEST

    def keep(self, key: Key, page: KeptPage) -> None:
        with self._lock:
            if not (key.query and page.is_by_query):
                self._pages[key._replace(query="")] = page
            elif len(key.query) <= _MAX_QUERY:
                self._by_query[key] = page


def _size(page: KeptPage) -> int:
    return len(page.content) + _OVERHEAD


_kept = PageCache(settings.CMS_PAGE_CACHE_BYTES)


def find(key: Key, version: Version | None) -> KeptPage | None:
    """Return the current page of the address from the process."""
    return _kept.find(key, version) if version is not None else None


def find_elsewhere(key: Key, version: Version | None) -> KeptPage | None:
    """Return a page that another process has stored in Redis, and keep it."""
    if version is None or key.query or not settings.CMS_CACHE_URL or not _kept.max_bytes:
        return None
    page = _server(settings.CMS_CACHE_URL).find(key, version)
    if page is not None and _kept.may_keep(page):
        _kept.keep(key, page)
    return page


def keep(key: Key, page: KeptPage) -> None:
    if page.version is None or not _kept.may_keep(page):
        return
    _kept.keep(key, page)
    # Requests of strangers should not displace other pages.
    if settings.CMS_CACHE_URL and not key.query:
        _server(settings.CMS_CACHE_URL).keep(key, page.version, page)


class _Server:
    """Pages in Redis until they expire; the numbers are part of the name, so that none is found that has changed."""

    def __init__(self, url: str) -> None:
        self._client = connect(url, _TIMEOUT)
        warn = partial(logger.warning, "Redis does not respond, so it gives no pages for now: %s")
        self._breaker = CircuitBreaker(_PAUSE, warn)

    def find(self, key: Key, version: Version) -> KeptPage | None:
        if not self._breaker.may_be_asked():
            return None
        name = _name(key, version)
        try:
            with self._client.pipeline(transaction=False) as asked:
                asked.get(name)
                asked.pttl(name)
                content, milliseconds = asked.execute()
        except FAILURES as error:
            self._breaker.record_failure(error)
            return None
        self._breaker.record_success()
        if not content or milliseconds <= 0:
            return None
        return make_page(content[1:], version, milliseconds / 1000, is_by_query=content[:1] == _BY_QUERY)

    def keep(self, key: Key, version: Version, page: KeptPage) -> None:
        if not self._breaker.may_be_asked():
            return
        content = (_BY_QUERY if page.is_by_query else _ALWAYS) + page.content
        milliseconds = int((page.until - monotonic()) * 1000)
        try:
            self._client.set(_name(key, version), content, px=max(milliseconds, 1))
        except FAILURES as error:
            self._breaker.record_failure(error)
        else:
            self._breaker.record_success()


def _name(key: Key, version: Version) -> str:
    # The tag also depends on the release and on the settings that pages show.
    return "cms:page:" + tag_of(*key, *version).strip('"')


@cache
def _server(url: str) -> _Server:
    return _Server(url)


# Forked processes need their own connections and lock.
os.register_at_fork(after_in_child=_server.cache_clear)
