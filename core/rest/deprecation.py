"""Operations that will be withdrawn; the policy is in docs/compatibility.md."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from django.utils.http import http_date

MethodT = TypeVar("MethodT", bound=Callable[..., Any])
_MIN_YEARS = 2


def deprecated(since: date, sunset: date, link: str) -> Callable[[MethodT], MethodT]:
    """Mark a method of an `ApiView`: all its responses carry Deprecation, Sunset and Link (RFC 9745, RFC 8594).

    `link` is the page that names the replacement. Raises ValueError if `sunset` is less than two years after `since`.
    """
    if (sunset.year - _MIN_YEARS, sunset.month, sunset.day) < (since.year, since.month, since.day):
        raise ValueError(
            f"Sunset must be at least {_MIN_YEARS} years after deprecation; these are {since} and {sunset}."
        )
    headers = {
        "Deprecation": f"@{_seconds(since)}",
        "Sunset": http_date(_seconds(sunset)),
        "Link": f'<{link}>; rel="deprecation"; type="text/html"',
    }

    def mark(method: MethodT) -> MethodT:
        method.deprecation_headers = headers  # type: ignore[attr-defined]  # read by ApiView.dispatch
        return method

    return mark


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
