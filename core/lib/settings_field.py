import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import models


def _read_integer(digits: str) -> int | float:
    # PostgreSQL writes the float 1e20 as an integer with all digits, which no response can hold; a finite float has
    # at most 309 of them.
    number = int(digits) if len(digits) < 300 else float(digits)
    return number if -(2**63) <= number < 2**63 else float(number)


_DECODER = partial(json.JSONDecoder, parse_int=_read_integer)


class SettingsField(models.JSONField):
    """JSON that reads integers beyond 64 bits as floats, like the texts of contents."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"decoder": _DECODER} | options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return a plain JSONField for migrations, since only reading differs."""
        name, _path, args, options = super().deconstruct()
        options.pop("decoder", None)
        return name, "django.db.models.JSONField", args, options
