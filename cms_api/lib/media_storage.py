"""Where uploaded files are kept: a folder of this machine, or an S3-compatible object store."""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

from cms_api.lib.media_names import FOLDER

# How long browsers and proxies keep a file whose name is never given to another one.
FOR_EVER = "public, max-age=31536000, immutable"
# Members of the query of an address; the credentials come from the usual AWS_… variables.
_S3_OPTIONS = ("endpoint_url", "region_name", "addressing_style", "timeout")
_ADDRESSING_STYLES = ("auto", "path", "virtual")
_TIMEOUT = "3"  # seconds
_PIECE = 256 * 1024  # bytes of a file that are in memory at a time
_TIMEOUTS = re.compile(r"[1-9]|[1-5][0-9]|60|0\.[1-9]")


class StorageBusy(Exception):
    """So many threads wait for the storage that no other one shall; soon it may be otherwise."""


class StorageUnavailable(Exception):
    """The storage cannot be reached or does not answer in time."""


def read_storage(address: str, folder: Path) -> dict[str, Any]:
    """Django's storage (an entry of STORAGES) for the value of CMS_MEDIA_STORAGE.

    Empty: the folder. `s3://bucket/folder?endpoint_url=…&region_name=…&addressing_style=…&timeout=…`: the bucket,
    below the folder in it; `timeout` is how many seconds it has for a connection, and for each step of an answer.
    Raises ImproperlyConfigured for anything else.
    """
    if not address:
        return {"BACKEND": "cms_api.lib.media_storage.WholeFiles", "OPTIONS": {"location": str(folder)}}
    parts = urlsplit(address)
    if parts.scheme != "s3" or not parts.netloc:
        raise _wrong("must be empty or begin with s3:// and the name of a bucket")
    if "@" in parts.netloc or ":" in parts.netloc:
        raise _wrong("must hold no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if parts.fragment:
        raise _wrong("must hold no # character")
    options = _read_options(parts.query)
    patience = _patience(options.pop("addressing_style", "auto"), float(options.pop("timeout", _TIMEOUT)))
    bucket = {"bucket_name": parts.netloc, "location": parts.path.strip("/")}
    return {"BACKEND": "cms_api.lib.object_store.ObjectStore", "OPTIONS": bucket | options | _S3_ALWAYS | patience}


def read_media_url(address: str) -> str:
    """Django's MEDIA_URL for the value of CMS_MEDIA_URL; empty: this service. Raises ImproperlyConfigured."""
    if not address:
        return FOLDER
    if not urlsplit(address).netloc or not address.startswith(("https://", "http://")):
        raise ImproperlyConfigured(
            "CMS_MEDIA_URL must be empty or a whole address that begins with https:// or http://."
        )
    return address.rstrip("/") + "/"


def media_sources(media_url: str) -> list[str]:
    """What a page has to allow for pictures of that MEDIA_URL: nothing more if this service has them."""
    parts = urlsplit(media_url)
    return [f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"] if parts.netloc else []


_S3_ALWAYS = {
    "file_overwrite": False,
    "object_parameters": {"CacheControl": FOR_EVER},  # the type follows from the name (ObjectStore)
    "default_acl": None,  # whether the bucket is public is decided at the bucket
}


def _read_options(query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _S3_OPTIONS or name in options:
            raise _wrong(f"has {name} in its query; possible is, once each: {', '.join(_S3_OPTIONS)}")
        options[name] = value
    if options.get("addressing_style", "auto") not in _ADDRESSING_STYLES:
        raise _wrong(f"must have one of {', '.join(_ADDRESSING_STYLES)} as its addressing_style")
    if not _TIMEOUTS.fullmatch(options.get("timeout", _TIMEOUT)):
        raise _wrong("must have a timeout of 1 to 60 seconds, or 0.1 to 0.9")
    if not options.get("endpoint_url", "https://").startswith(("http://", "https://")):
        raise _wrong("must have an endpoint_url that begins with https:// or http://")
    return options


def _patience(addressing_style: str, timeout: float) -> dict[str, Any]:
    # Imported here: it costs 15 MB, which only those who use it shall pay.
    from boto3.s3.transfer import TransferConfig  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    # A store that does not answer must not keep a thread for minutes, as it would by default.
    config = Config(
        s3={"addressing_style": addressing_style},
        connect_timeout=timeout,
        read_timeout=timeout,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    return {"client_config": config, "transfer_config": TransferConfig(use_threads=False)}


def _wrong(problem: str) -> ImproperlyConfigured:
    # Not the value itself, in which somebody may have put a secret.
    return ImproperlyConfigured(f"CMS_MEDIA_STORAGE {problem}.")


class WholeFiles(FileSystemStorage):
    """Files of a folder, which are whole from the moment that they bear their name, and then outlast a power cut.

    The service and its group may read them (0640), for a proxy that serves the folder itself.
    """

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        path = Path(self.path(name))
        path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fchmod(handle, 0o640)
                os.fsync(handle)
            os.rename(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        for folder in (path.parent, path.parent.parent):  # which may both be new
            _sync_folder(folder)
        return name

    def size_of(self, name: str) -> int:
        """How many bytes the file has. Raises FileNotFoundError."""
        path = self.path(name)
        # Unlike Path.is_file, it has an answer for names that are too long for the disk.
        if not os.path.isfile(path):
            raise FileNotFoundError(f"There is no file {name}.")
        return os.path.getsize(path)

    def open_file(self, name: str) -> BinaryIO:
        """The file itself, which a server can hand to the system."""
        return open(self.path(name), "rb")

    def parts(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes from `start` to before `stop`, in pieces."""
        with open(self.path(name), "rb") as file:
            file.seek(start)
            while start < stop and (piece := file.read(min(_PIECE, stop - start))):
                start += len(piece)
                yield piece


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
