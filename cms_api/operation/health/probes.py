"""What has to be well for this server to serve, each looked at by a function of its own."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection

from cms_api.lib.missing_migrations import missing_migrations
from cms_api.lib.redis_client import connect

_TIMEOUT = 0.4  # seconds that Redis has, less than all probes together


class State(StrEnum):
    """How a thing is: well, missed but stood in for, or such that the server must not be asked."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe has found, and a sentence for people."""

    state: State
    message: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A name, a function that looks, and the state where it raises or says nothing in time."""

    name: str
    look: Callable[[], Finding]
    otherwise: State = State.FAILED


def probes() -> tuple[Probe, ...]:
    """Those that the settings call for."""
    found = [Probe("database", _database), Probe("migrations", _migrations), Probe("disk", _disk)]
    if isinstance(default_storage, FileSystemStorage):  # an object store is everybody's: no server is to leave for it
        found.append(Probe("media", _media))
    if settings.CMS_CACHE_URL:
        # The database stands in for it.
        found.append(Probe("cache", _cache, State.DEGRADED))
    return tuple(found)


def _database() -> Finding:
    with connection.cursor() as cursor:
        # Of a damaged file SQLite notices nothing before it reads its tables.
        is_sqlite = connection.vendor == "sqlite"
        cursor.execute("SELECT count(*) FROM sqlite_master" if is_sqlite else "SHOW transaction_read_only")
        if cursor.fetchone()[0] == "on":
            return Finding(State.DEGRADED, "The database can only be read.")
    return Finding(State.OK, "The database answers.")


def _migrations() -> Finding:
    if missing := missing_migrations():
        app, name = missing[0]
        told = f"{len(missing)} migrations of this code are not applied, the first is {app}.{name}"
        return Finding(State.FAILED, f"{told}. Run manage.py migrate.")
    return Finding(State.OK, "Every migration of this code is applied.")


def _disk() -> Finding:
    usage = shutil.disk_usage(settings.DATA_DIR)
    percent, least = usage.free / usage.total * 100, settings.CMS_MIN_FREE_DISK_PERCENT
    told = f"{percent:.1f} percent of the disk of the data folder are free"
    if percent < least:
        return Finding(State.FAILED, f"{told}, less than {least} (CMS_MIN_FREE_DISK_PERCENT).")
    return Finding(State.OK, f"{told}.")


def _media() -> Finding:
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(b"-")
    return Finding(State.OK, "Files can be written into the media folder.")


def _cache() -> Finding:
    with connect(settings.CMS_CACHE_URL, _TIMEOUT) as client:
        client.ping()
    return Finding(State.OK, "Redis answers.")
