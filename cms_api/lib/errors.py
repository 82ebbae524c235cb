"""Errors that services raise. The API gives them a status (cms_api.rest.errors), the admin shows its own messages."""

from typing import Any


class ServiceError(Exception):
    """A service did nothing: a sentence for people, a stable code for programs, and `members` such as `member`."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.members = code, message, members


class InvalidInput(ServiceError):
    """The input does not allow it."""


class NotPermitted(ServiceError):
    """The key or the administrator may not do it."""


class NotFound(ServiceError):
    """The record does not exist."""


class LimitReached(ServiceError):
    """A limit of the service is reached; try again after `wait` seconds."""

    def __init__(self, code: str, message: str, *, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class Unavailable(ServiceError):
    """Something that the service needs does not respond. With `wait`, try again after that many seconds."""

    def __init__(self, code: str, message: str, *, wait: int | None = None) -> None:
        super().__init__(code, message)
        self.wait = wait
