"""`Idempotency-Key`: a repeated POST changes nothing and gets the first response again.

The response is stored in the transaction of the change, whose first statement inserts a row unique for API key and
idempotency key; so the database serialises identical requests, and a rollback removes both.
"""

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from http import HTTPStatus
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Min, Sum
from django.db.models.functions import Length
from django.http import HttpResponse
from rest_framework.request import Request

from core.lib import clock
from core.lib.errors import InvalidInput, LimitReached
from core.models import IdempotencyRecord
from core.rest.errors import JSON, HttpError, ImmediateResponse
from core.rest.json import ValueRenderer

LIFETIME = timedelta(hours=24)
# Stored responses of an API key.
MAX_STORED = 100_000
MAX_STORED_BYTES = 512 * 1024 * 1024
SWEEP_ROWS = 20  # expired rows deleted with each new one: more than can arrive
_WELL_FORMED = re.compile(r"[\x20-\x7e]{1,255}")
_COUNTED_SECONDS = 10  # of trust in a process's own count of a key's stored responses


class Replayed(ImmediateResponse):
    def __init__(self, content: bytes) -> None:
        super().__init__()
        self._content = content

    def answer(self) -> HttpResponse:
        return HttpResponse(self._content, JSON, headers={"Idempotency-Replayed": "true"})


class Reused(HttpError):
    status_code = HTTPStatus.UNPROCESSABLE_ENTITY


class Once:
    def __init__(self, key_id: int, name: str, digest: str) -> None:
        self._key_id, self._name, self._digest = key_id, name, digest
        self._rows = IdempotencyRecord.objects.filter(key_id=key_id, name=name)

    def replay(self) -> None:
        """Raises `Replayed` if the response is stored, and `Reused` if another request has the key."""
        row = self._rows.filter(created_at__gte=_oldest()).first()
        if row is not None:
            self._answer_with(row)

    def store(self, change: Callable[[], Any]) -> HttpResponse:
        """Run the change and store its response with it. Raises `Replayed`, `Reused`, `LimitReached`."""
        with transaction.atomic():
            row = self._claim()
            stored = _stored_of(self._key_id)
            sweep()
            made = change()
            row.content = _content(made)
            row.save(update_fields=["content"])
        stored.number, stored.size = stored.number + 1, stored.size + len(row.content)
        return HttpResponse(row.content, JSON)

    def _claim(self) -> IdempotencyRecord:
        """Return the row locked for this request until the transaction ends; waits for other transactions."""
        for _ in range(5):
            new = IdempotencyRecord(
                key_id=self._key_id, name=self._name, digest=self._digest, created_at=clock.steady()
            )
            IdempotencyRecord.objects.bulk_create([new], ignore_conflicts=True)
            row = self._rows.select_for_update().first()
            if row is None:  # it had expired, and another request has just deleted it
                continue
            if row.content is None:  # our own: another transaction would have committed it together with its response
                return row
            if row.created_at >= _oldest():
                self._answer_with(row)
            row.digest, row.created_at, row.content = self._digest, clock.steady(), None
            row.save()
            return row
        raise RuntimeError("Idempotency keys cannot be stored or read.")

    def _answer_with(self, row: IdempotencyRecord) -> None:
        if row.digest != self._digest:
            message = "The Idempotency-Key has already been used for a request with another method, path or body."
            raise Reused("idempotency_key_reused", message)
        raise Replayed(bytes(row.content or b""))


@dataclass(slots=True)
class _Stored:
    number: int
    size: int  # bytes
    counted_at: float  # monotonic seconds


_stored: dict[int, _Stored] = {}


def _stored_of(key_id: int) -> _Stored:
    stored = _stored.get(key_id)
    rows = IdempotencyRecord.objects.filter(key_id=key_id, content__isnull=False, created_at__gte=_oldest())
    if stored is None or monotonic() - stored.counted_at > _COUNTED_SECONDS:
        if len(_stored) >= 10_000:  # keys
            _stored.clear()
        found = rows.aggregate(number=Count("pk"), size=Sum(Length("content")))
        stored = _stored[key_id] = _Stored(found["number"], found["size"] or 0, monotonic())
    if stored.number >= MAX_STORED or stored.size >= MAX_STORED_BYTES:
        oldest = rows.aggregate(first=Min("created_at"))["first"] or clock.now()
        wait = max(1, math.ceil((oldest + LIFETIME - clock.now()).total_seconds()))
        message = (
            f"The API key may store {MAX_STORED} responses or {MAX_STORED_BYTES} "
            f"bytes of them in 24 hours. Nothing was done; try again in {wait} seconds or without an Idempotency-Key."
        )
        raise LimitReached("too_many_stored_answers", message, wait=wait)
    return stored


def read_key(request: Request) -> str:
    name: str = request.META["HTTP_IDEMPOTENCY_KEY"]
    if not _WELL_FORMED.fullmatch(name):
        message = "The Idempotency-Key must have from 1 to 255 characters of printable ASCII."
        raise InvalidInput("invalid_idempotency_key", message)
    return name


def digest_of(request: Request, further: tuple[str, ...] = ()) -> str:
    """Return a digest of method, path, body (at most CMS_MAX_BODY_BYTES) and these headers; the body stays readable."""
    parts = [request.method or "", request.path, *(request.META.get(name, "") for name in further)]
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=32, key=_secret(settings.SECRET_KEY))
    digest.update(request._request.body)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _secret(secret_key: str) -> bytes:
    # Keyed, since passwords in bodies could be guessed from plain digests.
    return hashlib.blake2b(secret_key.encode(), person=b"stored answers").digest()


def _oldest() -> Any:
    return clock.steady(-LIFETIME)


@transaction.atomic
def sweep() -> int:
    """Delete some expired rows and return their number; skips rows that another request has locked."""
    over = IdempotencyRecord.objects.filter(created_at__lt=_oldest()).order_by("created_at")
    numbers = list(over.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP_ROWS])
    if numbers:
        IdempotencyRecord.objects.filter(pk__in=numbers).delete()
    return len(numbers)


def _content(response: Any) -> bytes:
    """Render a view's response now; DRF would render it after the transaction."""
    if not hasattr(response, "data"):
        return bytes(response.content)
    return ValueRenderer().render(response.data, None, {"response": response})
