"""The column that holds the settings of a record as a JSON object."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import models

_INT64 = range(-(2**63), 2**63)
_LONG = 300  # digits; each float that is no infinity has at most 309


def _read_integer(digits: str) -> int | float:
    # PostgreSQL writes the float 1e20 with all of its digits, as an integer that no answer can hold.
    number = int(digits) if len(digits) < _LONG else float(digits)
    return number if number in _INT64 else float(number)


class _Decoder(json.JSONDecoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(parse_int=_read_integer, **options)


class SettingsField(models.JSONField):
    """JSON in which an integer beyond 64 bits is read as a float, as in the texts of contents."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"decoder": _Decoder} | options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """The column as migrations know it: a plain one, since only reading differs."""
        name, _path, args, options = super().deconstruct()
        options.pop("decoder", None)
        return name, "django.db.models.JSONField", args, options
