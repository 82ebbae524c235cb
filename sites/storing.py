"""Asks the store of files; whoever cannot be served by it is told so, and when to try again."""

from collections.abc import Callable
from typing import TypeVar

from cms_api.lib.errors import LimitReached, Unavailable
from cms_api.lib.media_storage import StorageBusy, StorageUnavailable

T = TypeVar("T")


def asking(storage: Callable[[], T]) -> T:
    """What the storage answers. Raises LimitReached (`storage_busy`) and Unavailable (`storage_unavailable`)."""
    try:
        return storage()
    except StorageBusy as error:
        raise LimitReached("storage_busy", "The store of files is busy; try again in a second.", wait=1) from error
    except StorageUnavailable as error:
        raise Unavailable("storage_unavailable", "The store of files does not answer; try again later.") from error
