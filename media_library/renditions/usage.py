"""Notes the day on which renditions were last used, some seconds later and for all of them at once."""

import atexit
import hashlib
import logging
from datetime import date
from threading import Lock, Timer

from django.db import DatabaseError, connection

from core.lib import clock
from media_library.models import Rendition

SECONDS = 30.0
_MOST = 50_000  # names in memory
_AT_A_TIME = 500
logger = logging.getLogger(__name__)


class Usage:
    def __init__(self) -> None:
        self._day = date.min
        self._noted: set[str] = set()  # this day
        self._new: set[str] = set()
        self._lock = Lock()

    def note(self, name: str) -> None:
        today = clock.now().date()
        with self._lock:
            if today != self._day:
                self._day, self._noted = today, set()
            if name in self._noted or len(self._noted) >= _MOST:
                return
            self._noted.add(name)
            if not self._new:
                timer = Timer(SECONDS, self.store)
                timer.daemon = True  # at the end of the process, `store` is called anyway
                timer.start()
            self._new.add(name)

    def store(self) -> None:
        with self._lock:
            names, self._new, today = sorted(self._new), set(), self._day
        if not names:
            return
        digests = [hashlib.sha256(name.encode()).hexdigest() for name in names]
        try:
            for start in range(0, len(digests), _AT_A_TIME):
                some = digests[start : start + _AT_A_TIME]
                Rendition.objects.filter(name_digest__in=some, used_on__lt=today).update(used_on=today)
        except DatabaseError as error:  # they are noted again tomorrow
            logger.warning("The use of renditions could not be noted: %s", type(error).__name__)
        finally:
            connection.close()  # the thread ends


_usage = Usage()
note = _usage.note
atexit.register(_usage.store)
