"""Answers that have more members than `value`."""

from typing import Any


class Body(dict[str, Any]):
    """An answer body that is sent as it is, without the `value` envelope."""
