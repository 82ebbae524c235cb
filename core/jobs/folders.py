import fcntl
import json
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.conf import settings

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

_UPLOAD = re.compile(r"[0-9a-f]{32}")
_UPLOAD_SECONDS = 24 * 60 * 60  # until an unused upload is removed
_NEW_SECONDS = 60 * 60  # a newer folder may belong to a job whose row is not committed yet


def node_name() -> str:
    """Return this node's name; jobs run where their files are."""
    name = settings.CMS_NODE_NAME.strip() or socket.gethostname()
    return f"{name} {settings.DATA_DIR}"[-255:]


def folder_of(job_id: int) -> Path:
    return _made("jobs") / str(job_id)


def prepare(job_id: int) -> None:
    remove(job_id)
    folder_of(job_id).mkdir(mode=0o700)


def remove(job_id: int) -> None:
    shutil.rmtree(folder_of(job_id), ignore_errors=True)


def remove_strangers(job_ids: Iterable[int]) -> None:
    """Remove the folders of all other jobs, except new ones."""
    kept = {str(each) for each in job_ids}
    for folder in _made("jobs").iterdir():
        if folder.name.isdecimal() and folder.name not in kept and _is_older(folder, _NEW_SECONDS):
            shutil.rmtree(folder, ignore_errors=True)


def record_files(job_id: int, names: Sequence[str]) -> None:
    """Record files that the job is about to store elsewhere, so that they can be removed if it is killed."""
    with files_note(job_id).open("w", encoding="utf-8") as note:
        json.dump(names, note)
        note.flush()
        os.fsync(note.fileno())


def recorded_files(job_id: int) -> list[str]:
    """Return the recorded files; none if the job was killed while recording, before it stored any."""
    try:
        names: list[str] = json.loads(files_note(job_id).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return names


def files_note(job_id: int) -> Path:
    return folder_of(job_id) / "stored.json"


def keep_upload(file: "UploadedFile[Any]") -> str:
    token = secrets.token_hex(16)
    with (_made("jobs/uploads") / token).open("xb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return token


@contextmanager
def new_file() -> Iterator[tuple[str, BinaryIO]]:
    """Make a file that is found like an upload, for a day; it is removed if the block fails."""
    token = secrets.token_hex(16)
    path = _made("jobs/uploads") / token
    with path.open("x+b") as file:
        try:
            yield token, file
        except BaseException:
            path.unlink()
            raise


def find_upload(token: str) -> Path | None:
    """Return the upload's path; None if it does not exist or has been removed."""
    path = _made("jobs/uploads") / token if _UPLOAD.fullmatch(token) else None
    return path if path is not None and path.is_file() else None


def touch_upload(token: str) -> None:
    if path := find_upload(token):
        path.touch()


def remove_upload(token: str) -> None:
    if path := find_upload(token):
        path.unlink(missing_ok=True)


def remove_old_uploads() -> None:
    for path in _made("jobs/uploads").iterdir():
        if _is_older(path, _UPLOAD_SECONDS):
            path.unlink(missing_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Lock the file until the block or the process ends; yields False if another process holds it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(file)


def is_free(path: Path) -> bool:
    """Return true if no process holds the lock; takes it for a moment."""
    with locked(path) as could_be_locked:
        return could_be_locked


def lock_of(job_id: int) -> Path:
    return folder_of(job_id) / "lock"


def slots() -> list[Path]:
    return [_made("jobs") / f"slot-{number}" for number in range(settings.CMS_JOBS_AT_ONCE)]


def _is_older(path: Path, seconds: float) -> bool:
    with suppress(FileNotFoundError):  # another process may have removed it
        return time.time() - path.stat().st_mtime > seconds
    return False


def _made(name: str) -> Path:
    folder = Path(settings.DATA_DIR) / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
