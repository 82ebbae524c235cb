"""Requests that wait for something without a thread: the view gives them back, and the server calls it again.

Only the service's own worker (server.serving.worker) offers that; other servers send the view's response.
"""

import time
from collections.abc import Callable

from django.http import HttpRequest

NAME = "cms.waiting"  # in the WSGI environment


class Waiting:
    """The waiting of one request, from its first look to its answer.

    `probe` is called again and again in a thread of its own; the view looks again once it returns more than `seen`.
    """

    def __init__(self) -> None:
        self.is_again = False  # the view was called before
        self.is_offered = False  # the request may be returned to the loop
        self.is_wanted = False  # the view returns it to the loop
        self.deadline = 0.0  # monotonic
        self.seen = 0
        self.probe: Callable[[], int] | None = None

    def give_back(self, seconds: float, seen: int, probe: Callable[[], int]) -> bool:
        """Give the request back until `seconds` after its first look; false if it must be answered now."""
        now = time.monotonic()
        if not self.is_again:
            self.deadline = now + seconds
        if not self.is_offered or now >= self.deadline:
            return False
        self.seen, self.probe, self.is_wanted = seen, probe, True
        return True


def waiting_of(request: HttpRequest) -> Waiting:
    waiting: Waiting | None = request.META.get(NAME)
    return waiting or Waiting()
