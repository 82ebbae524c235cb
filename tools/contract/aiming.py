"""Aims made-up requests at the sample site: most arbitrary numbers become ids of existing records.

Only values of the right type are replaced, so that wrong data stay wrong. The choice follows from the request
itself, so that it adds no chance of its own.
"""

import base64
import json
from hashlib import md5
from urllib.parse import urlencode
from zlib import crc32

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import StatefulPhaseData

CHANNELS = [*range(1, 25)]
CHOICES = {
    "siteId": [1],
    "channelId": CHANNELS,
    "parentId": CHANNELS,
    "targetChannelId": CHANNELS,
    "before": CHANNELS,
    "id": [*range(1, 61)],
    "column": ["id", "title", "addDate", "isTop", "hits", "author", "navigationUrl", "lastHitsDate", "content", "tags"],
    "operator": [
        "=",
        "!=",
        "<",
        ">=",
        "In",
        "NotIn",
        "Like",
        "Between",
        "IsNull",
        "StartsWith",
        "EndsWith",
        "Contains",
    ],
    "account": ["member1", "deputy1", "root"],
    # The password of the accounts, which a change does not alter; changes require its MD5, and logins accept both.
    "password": ["lantern-27", md5(b"lantern-27", usedforsecurity=False).hexdigest()],
    "newPassword": ["lantern-27"],
}
# Another password than the one that later requests present would make all of them fail.
ALWAYS_LED = {"newPassword"}
# Most made-up conditions do not hold and most keys have been used, so that the request itself would not be looked at.
CONDITIONS = {"If-Match", "If-None-Match", "Idempotency-Key"}
# Made-up bytes are no picture.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
_OF_FIVE = 4  # are led
# Bytes. A longer line the server answers with 414 by itself, which says nothing of the service.
_MAX_OF_QUERY = 7000


@schemathesis.serializer(*_PICTURES)
def _as_it_is(context, value):
    # Bytes that are no picture are sent as one, too.
    return value if isinstance(value, bytes) else str(value).encode()


def is_read(case):
    """Whether the server reads the whole line of the request."""
    return len(urlencode(case.query or {}, doseq=True)) <= _MAX_OF_QUERY


class Aim:
    """A hook of Schemathesis; `places` are the channel and number of each content of the sample site."""

    def __init__(self, places):
        self._places = places

    def lead(self, case):
        """The request, led."""
        number = _number_of([case.path_parameters, case.query, case.body])
        if number % 5 >= _OF_FIVE:
            return case
        if case.media_type == "multipart/form-data" and not _is_negative(case, ParameterLocation.BODY):
            case.body = {"avatar": PICTURE}
        elif isinstance(case.body, dict | list):
            case.body = _led(case.body, number)
        if not _is_negative(case, ParameterLocation.HEADER):
            case.headers = {name: value for name, value in (case.headers or {}).items() if name not in CONDITIONS}
        if case.operation.path.endswith(("/forms", "/forms/styles")) and not _is_negative(
            case, ParameterLocation.QUERY
        ):
            case.query = {**(case.query or {}), "siteId": 1, "formId": 1}
        if not isinstance(case.meta.phase.data, StatefulPhaseData):  # links need no aim
            case.path_parameters = self._led_path(case, number)
            if "/batch/" in case.operation.path and not _is_negative(case, ParameterLocation.BODY):
                case.body = self._led_batch(case.body, number)
        return case

    def _led_path(self, case, number):
        found = case.path_parameters
        if "/contents/" not in case.operation.path or _is_negative(case, ParameterLocation.PATH):
            return found
        if not found or not (found.keys() >= {"siteId", "channelId"}):
            return found
        channel_id, content_id = self._place(number)
        return {"siteId": 1, "channelId": channel_id} | ({"id": content_id} if "id" in found else {})

    def _led_batch(self, body, number):
        """The body, with the id of a content that is in the channel of the path."""
        return body | {"ids": [self._place(number)[1]]} if isinstance(body, dict) and body.get("ids") else body

    def _place(self, number):
        return self._places[number % len(self._places)]


def _is_negative(case, location):
    return case.meta.is_negative_at(location)


def _number_of(value):
    return crc32(json.dumps(value, default=str, sort_keys=True).encode())


def _led(value, number):
    if isinstance(value, dict):
        members = enumerate(value.items())
        return {name: _choose(name, _led(one, number + place), number + place) for place, (name, one) in members}
    if isinstance(value, list):
        return [_led(item, number + 7 * place) for place, item in enumerate(value)]
    return value


def _choose(name, value, number):
    choices = CHOICES.get(name, ())
    is_left = number % 5 >= _OF_FIVE and name not in ALWAYS_LED
    if is_left or not choices or type(value) is not type(choices[0]):
        return value
    return choices[number % len(choices)]
