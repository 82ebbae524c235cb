from collections.abc import Callable
from typing import TypeVar

from core.lib.errors import LimitReached, Unavailable
from core.lib.media_storage import StorageBusy, StorageUnavailable

T = TypeVar("T")


def asking(storage: Callable[[], T]) -> T:
    """Call the storage. Raises LimitReached (`storage_busy`) and Unavailable (`storage_unavailable`)."""
    try:
        return storage()
    except StorageBusy as error:
        raise LimitReached("storage_busy", "The file storage is busy; try again in a second.", wait=1) from error
    except StorageUnavailable as error:
        raise Unavailable("storage_unavailable", "The file storage is not responding; try again later.") from error
