"""Counts visits of the pages of contents: each page requests a picture, and a thread stores the hits in batches."""

import atexit
import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from logging import getLogger
from threading import Lock, Timer

from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from core.lib import clock
from pages import visitors
from pages.site_lookup import Place
from sites.attributes import site_attributes
from sites.models import Site

SECONDS = 5.0  # from the first hit of a batch until it is stored
PREFIX = "_visits/"  # of the picture's path below the folder of the site
MAX_VISITS = 50_000  # in a batch; further ones are not counted
_LAST_ID = 2**63 - 1  # that the database accepts
_PICTURE = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
_END = re.compile("</body", re.IGNORECASE)
_HTML = re.compile(r"<(?:html|body)[\s>]", re.IGNORECASE)
logger = getLogger(__name__)


def with_picture(html: str, folder: str, content_id: int) -> str:
    """Return the page with the picture at its end; text that is no HTML document stays unchanged."""
    picture = f'<img src="{folder}/{PREFIX}{content_id}.gif" alt="" width="1" height="1" hidden>'
    *_, end = [None, *(found.start() for found in _END.finditer(html))]
    if end is None:
        return html + picture if _HTML.search(html) else html
    return html[:end] + picture + html[end:]


def count(request: HttpRequest, place: Place, content_id: int) -> HttpResponseBase:
    """Count a hit of the content, and return a transparent picture that is never cached. Raises Http404."""
    if content_id > _LAST_ID:
        raise Http404
    if request.method == "GET" and (visit := visitors.new_visit(request, content_id)):
        _batch.add(place.site.pk, content_id, visit)
    return HttpResponse(_PICTURE, "image/gif")


class Batch:
    """Visits of contents, stored as hits a few seconds after the first one."""

    def __init__(self) -> None:
        self._visits: dict[bytes, tuple[int, int]] = {}  # site and content
        self._late: Counter[tuple[int, int]] = Counter()  # hits that the database did not take
        self._is_waiting = False
        self._lock = Lock()

    def add(self, site_id: int, content_id: int, visit: bytes) -> None:
        with self._lock:
            if len(self._visits) >= MAX_VISITS:
                return
            self._visits[visit] = site_id, content_id
        self._wait()

    def _wait(self) -> None:
        with self._lock:
            if self._is_waiting:
                return
            self._is_waiting = True
        timer = Timer(SECONDS, self.store)
        timer.daemon = True  # at the end of the process, `store` is called anyway
        timer.start()

    def store(self) -> None:
        with self._lock:
            visits, self._visits = self._visits, {}
            hits, self._late = self._late, Counter()
            self._is_waiting = False
        hits.update(visits[visit] for visit in visitors.unseen(list(visits)))
        if not hits:
            return
        try:
            _store(hits)
        except OperationalError as error:
            logger.warning("Hits could not be stored yet: %s", type(error).__name__)
            with self._lock:
                self._late.update(hits)
            self._wait()
        finally:
            connection.close()  # the thread ends


_batch = Batch()
atexit.register(_batch.store)


_ROWS = {
    "postgresql": "SELECT (v ->> 0)::bigint AS site_id, (v ->> 1)::bigint AS id, (v ->> 2)::bigint AS number, "
    "(v ->> 3)::boolean AS is_by_day FROM json_array_elements(%s::json) v",
    "sqlite": "SELECT value ->> 0 AS site_id, value ->> 1 AS id, value ->> 2 AS number, value ->> 3 AS is_by_day "
    "FROM json_each(%s)",
}
# Locked in the order of their ids, so that two processes never wait for each other in a circle.
_LOCK = {"postgresql": "FOR NO KEY UPDATE OF c", "sqlite": ""}
_PERIOD = (
    "{0} = CASE WHEN NOT h.is_by_day THEN c.{0} WHEN c.last_hits_date >= %s THEN c.{0} + h.number ELSE h.number END"
)
_PERIODS = ", ".join(_PERIOD.format(column) for column in ("hits_by_day", "hits_by_week", "hits_by_month"))


def _store(hits: Mapping[tuple[int, int], int]) -> None:
    """Add the hits of approved contents, in sites that count them."""
    sites = {site.pk: site_attributes(site) for site in Site.objects.filter(pk__in={pk for pk, _ in hits})}
    rows = [
        (site_id, content_id, number, sites[site_id]["isCountHitsByDay"])
        for (site_id, content_id), number in hits.items()
        if site_id in sites and sites[site_id]["isCountHits"]
    ]
    if not rows:
        return
    now = clock.now()
    day = now.replace(hour=0, minute=0, second=0)
    begins = [day, day - timedelta(days=day.weekday()), day.replace(day=1)]
    vendor = connection.vendor
    sql = (
        f"WITH given AS ({_ROWS[vendor]}), hit AS (SELECT c.id, g.number, g.is_by_day FROM contents_content c "
        "JOIN given g ON g.id = c.id AND g.site_id = c.site_id WHERE c.is_checked AND c.trashed_at IS NULL "
        f"ORDER BY c.id {_LOCK[vendor]}) UPDATE contents_content AS c "
        f"SET hits = c.hits + h.number, {_PERIODS}, last_hits_date = %s FROM hit h WHERE c.id = h.id"
    )
    moments = [connection.ops.adapt_datetimefield_value(moment) for moment in (*begins, now)]
    with connection.cursor() as cursor:
        cursor.execute(sql, [json.dumps(rows), *moments])
