"""What cannot be done, and why. The API answers with a status (cms_api.rest.errors), the admin in other words."""

from typing import Any


class Refusal(Exception):
    """Nothing was done: a sentence for people and a stable word for programs. `members` tell more, such as `member`."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.members = code, message, members


class BadRequest(Refusal):
    """It cannot be done as it was asked for."""


class Unauthorized(Refusal):
    """Whoever asks may not have it done."""


class NotFound(Refusal):
    """What it was to be done to does not exist."""


class TooManyRequests(Refusal):
    """A limit of the service is reached; the same may be asked for again after `wait` seconds."""

    def __init__(self, code: str, message: str, *, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class Unavailable(Refusal):
    """Something that the service needs does not answer; nothing was changed, unless the sentence says so.

    With `wait` it may be asked for again after so many seconds.
    """

    def __init__(self, code: str, message: str, *, wait: int | None = None) -> None:
        super().__init__(code, message)
        self.wait = wait
