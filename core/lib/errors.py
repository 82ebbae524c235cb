"""Errors of services. The API maps them to statuses (core.rest.errors); the admin shows its own messages."""

from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


class ServiceError(Exception):
    """The service did nothing: a sentence for people, a stable code for programs, and `members` such as `member`."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.members = code, message, members


class InvalidInput(ServiceError):
    """The input is not acceptable."""


class NotPermitted(ServiceError):
    """The key or the administrator lacks the right."""


class NotFound(ServiceError):
    """The record does not exist."""


class LimitReached(ServiceError):
    """A limit of the service is reached; retry after `wait` seconds."""

    def __init__(self, code: str, message: str, *, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class Unavailable(ServiceError):
    """A dependency of the service does not respond; with `wait`, retry after that many seconds."""

    def __init__(self, code: str, message: str, *, wait: int | None = None) -> None:
        super().__init__(code, message)
        self.wait = wait


def attempt(function: Callable[..., _T], *arguments: Any) -> _T | ServiceError:
    """Return the function's result, or the ServiceError that it raises."""
    try:
        return function(*arguments)
    except ServiceError as refusal:
        return refusal
