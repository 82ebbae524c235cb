"""`Idempotency-Key`: a POST that is sent again does nothing again, and is answered as it was the first time.

The answer is stored in the transaction of the change. Its row comes first in it, and is unique for the API key and the
word that the client chose, so that the database lets two of the same request follow one another; whatever ends the
transaction early leaves neither a change nor an answer.
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
from django.db.models import Count, Min, QuerySet, Sum
from django.db.models.functions import Length
from django.http import HttpResponse
from rest_framework.request import Request

from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, LimitReached
from cms_api.models import StoredAnswer
from cms_api.rest.errors import JSON, HttpError, Ready
from cms_api.rest.json import ValueRenderer

REPLAYED = "Idempotency-Replayed"
LIFETIME = timedelta(hours=24)
SWEEP_ROWS = 20  # that are over and go with each new one: more than can have come
_WELL_FORMED = re.compile(r"[\x20-\x7e]{1,255}")
_TRIES = 5
_COUNTED_SECONDS = 10  # for which a process relies on its own count of a key's answers
_MAX_COUNTED = 10_000  # keys
_renderer = ValueRenderer()


class Replayed(Ready):
    """The stored answer of the same request."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self._content = content

    def answer(self) -> HttpResponse:
        return HttpResponse(self._content, JSON, headers={REPLAYED: "true"})


class Reused(HttpError):
    """422: the key stands for another request already."""

    status_code = HTTPStatus.UNPROCESSABLE_ENTITY


class Once:
    """One request with an Idempotency-Key of one API key."""

    def __init__(self, key_id: int, name: str, digest: str) -> None:
        self._key_id = key_id
        self._rows = StoredAnswer.objects.filter(key_id=key_id, name=name)
        self._digest = digest
        self._new: dict[str, Any] = {"key_id": key_id, "name": name, "digest": digest}

    def replay(self) -> None:
        """Raises Replayed where the answer is stored already, and Reused where another request has the key."""
        row = self._rows.filter(created_at__gte=_oldest()).first()
        if row is not None:
            self._answer_with(row)

    def store(self, change: Callable[[], Any]) -> HttpResponse:
        """The answer of the change, stored together with what it does.

        Raises Replayed, Reused, LimitReached if the key has stored too much, and what the change raises. Views
        raise whatever is no success, which takes the row away with the change.
        """
        with transaction.atomic():
            row = self._claim()
            stored = _stored_of(self._key_id)
            sweep()
            made = change()
            row.content = _content(made)
            row.save(update_fields=["content"])
        stored.number, stored.size = stored.number + 1, stored.size + len(row.content)
        return HttpResponse(row.content, JSON)

    def _claim(self) -> StoredAnswer:
        """The row that is this request's until the end of the transaction; another one's is waited for."""
        for _ in range(_TRIES):
            StoredAnswer.objects.bulk_create([StoredAnswer(**self._new)], ignore_conflicts=True)
            row = self._rows.select_for_update().first()
            if row is None:  # it was over, and another request has swept it away meanwhile
                continue
            if row.content is None:  # no other transaction's: it would have been stored with the answer
                return row
            if row.created_at >= _oldest():
                self._answer_with(row)
            row.digest, row.created_at, row.content = self._digest, clock.now(), None
            row.save()
            return row
        raise RuntimeError("An idempotency key can be neither stored nor read.")

    def _answer_with(self, row: StoredAnswer) -> None:
        if row.digest != self._digest:
            message = "The Idempotency-Key has been used for another request: another method, path or body."
            raise Reused("idempotency_key_reused", message)
        raise Replayed(bytes(row.content or b""))


@dataclass(slots=True)
class _Stored:
    """The stored answers of an API key, as this process knows them."""

    number: int
    size: int  # bytes
    counted_at: float  # monotonic seconds


_stored: dict[int, _Stored] = {}


def _stored_of(key_id: int) -> _Stored:
    """What the key has stored. Raises LimitReached if it may store no more."""
    stored = _stored.get(key_id)
    if stored is None or monotonic() - stored.counted_at > _COUNTED_SECONDS:
        if len(_stored) >= _MAX_COUNTED:
            _stored.clear()
        stored = _stored[key_id] = _count(key_id)
    if stored.number >= settings.CMS_STORED_ANSWERS or stored.size >= settings.CMS_STORED_ANSWERS_BYTES:
        oldest = _of_key(key_id).aggregate(first=Min("created_at"))["first"] or clock.now()
        wait = max(1, math.ceil((oldest + LIFETIME - clock.now()).total_seconds()))
        message = (
            f"The API key may store {settings.CMS_STORED_ANSWERS} answers or {settings.CMS_STORED_ANSWERS_BYTES} bytes "
            f"of them in 24 hours. Nothing was done; try again in {wait} seconds or without an Idempotency-Key."
        )
        raise LimitReached("too_many_stored_answers", message, wait=wait)
    return stored


def _count(key_id: int) -> _Stored:
    found = _of_key(key_id).aggregate(number=Count("pk"), size=Sum(Length("content")))
    return _Stored(found["number"], found["size"] or 0, monotonic())


def _of_key(key_id: int) -> QuerySet[StoredAnswer]:
    """The key's stored answers that can be replayed."""
    return StoredAnswer.objects.filter(key_id=key_id, content__isnull=False, created_at__gte=_oldest())


def read_key(request: Request) -> str | None:
    """The request's Idempotency-Key; None without one. Raises InvalidInput (`invalid_idempotency_key`)."""
    name = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if name is not None and not _WELL_FORMED.fullmatch(name):
        message = "The Idempotency-Key must have from 1 to 255 characters of printable ASCII."
        raise InvalidInput("invalid_idempotency_key", message)
    return name


def digest_of(request: Request, further: tuple[str, ...] = ()) -> str:
    """What tells the request from others: method, path and body as it was sent, and the headers named.

    Reads the body, up to CMS_MAX_BODY_BYTES; whoever reads it as a stream afterwards reads the same.
    """
    parts = [request.method or "", request.path, *(request.META.get(name, "") for name in further)]
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=32, key=_secret(settings.SECRET_KEY))
    digest.update(request._request.body)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _secret(secret_key: str) -> bytes:
    # Without it, passwords of bodies could be guessed by their digests.
    return hashlib.blake2b(secret_key.encode(), person=b"stored answers").digest()


def _oldest() -> Any:
    return clock.now() - LIFETIME


@transaction.atomic
def sweep() -> int:
    """Delete some rows that are over, and say how many; what another request is about to delete is left to it."""
    over = StoredAnswer.objects.filter(created_at__lt=_oldest()).order_by("created_at")
    numbers = list(over.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP_ROWS])
    if numbers:
        StoredAnswer.objects.filter(pk__in=numbers).delete()
    return len(numbers)


def _content(response: Any) -> bytes:
    """The bytes of a view's answer, which DRF would write after the transaction."""
    if not hasattr(response, "data"):
        return bytes(response.content)
    return _renderer.render(response.data, None, {"response": response})
