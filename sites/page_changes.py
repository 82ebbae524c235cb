"""Lets apps above compare the pages of a site before and after a change of its rules or channels."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar

Watch = Callable[[int], AbstractContextManager[None]]  # takes the id of the site
watches: list[Watch] = []
_watched: ContextVar[frozenset[int]] = ContextVar("watched", default=frozenset())


@contextmanager
def changing_pages(site_id: int) -> Iterator[None]:
    """Run the watches around the block, or around the outermost block of the site; lock its tree before."""
    if site_id in _watched.get():
        yield
        return
    token = _watched.set(_watched.get() | {site_id})
    try:
        with ExitStack() as stack:
            for watch in watches:
                stack.enter_context(watch(site_id))
            yield
    finally:
        _watched.reset(token)
