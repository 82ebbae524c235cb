"""Where jobs keep their files: a folder each, and one for what was uploaded, in the data folder of the node."""

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
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

_UPLOAD = re.compile(r"[0-9a-f]{32}")
_UPLOAD_SECONDS = 24 * 60 * 60  # an upload that no job has used goes after a day
_NEW_SECONDS = 60 * 60  # a folder that is younger may be of a job that is being asked for, which nobody else sees yet


def node_name() -> str:
    """This node: jobs are done where their files are."""
    name = settings.CMS_NODE_NAME.strip() or socket.gethostname()
    return f"{name} {settings.DATA_DIR}"[-255:]


def folder_of(job_id: int) -> Path:
    """The folder of a job."""
    return _top() / str(job_id)


def prepare(job_id: int) -> None:
    """An empty folder for a new job."""
    remove(job_id)
    folder_of(job_id).mkdir(mode=0o700)


def remove(job_id: int) -> None:
    """Remove the folder of a job."""
    shutil.rmtree(folder_of(job_id), ignore_errors=True)


def remove_strangers(job_ids: Iterable[int]) -> None:
    """Remove the folders of all jobs but these, unless they are new."""
    kept = {str(each) for each in job_ids}
    for folder in _top().iterdir():
        if folder.name.isdecimal() and folder.name not in kept and _is_older(folder, _NEW_SECONDS):
            shutil.rmtree(folder, ignore_errors=True)


# ---- Files outside of the folder


def note_files(job_id: int, names: Sequence[str]) -> None:
    """Write down files that the job is about to store elsewhere, so that they are found if it is killed."""
    with files_note(job_id).open("w", encoding="utf-8") as note:
        json.dump(names, note)
        note.flush()
        os.fsync(note.fileno())


def noted_files(job_id: int) -> list[str]:
    """The files that were written down; none where the job was killed over that, since it had stored none yet."""
    try:
        names: list[str] = json.loads(files_note(job_id).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return names


def files_note(job_id: int) -> Path:
    """Where that is written down."""
    return folder_of(job_id) / "stored.json"


# ---- Uploads


def keep_upload(file: "UploadedFile[Any]") -> str:
    """Keep an uploaded file, and return the word by which it is found."""
    token = secrets.token_hex(16)
    with _upload_path(token).open("xb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return token


def find_upload(token: str) -> Path | None:
    """The file of that word; None if there is none, or none any more."""
    path = _upload_path(token) if _UPLOAD.fullmatch(token) else None
    return path if path is not None and path.is_file() else None


def touch_upload(token: str) -> None:
    """Keep the file for another day."""
    if path := find_upload(token):
        path.touch()


def remove_upload(token: str) -> None:
    """Remove the file of that word, if it is there."""
    if path := find_upload(token):
        path.unlink(missing_ok=True)


def remove_old_uploads() -> None:
    """Remove files that have been kept for longer than a day."""
    for path in _uploads().iterdir():
        if _is_older(path, _UPLOAD_SECONDS):
            path.unlink(missing_ok=True)


# ---- Locks


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Whether the file could be locked, for as long as the block lasts. The end of the process ends it, too."""
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


def lock_of(job_id: int) -> Path:
    """The file that the process of a job holds locked."""
    return folder_of(job_id) / "lock"


def slots() -> list[Path]:
    """The files of which each running job of the node holds one."""
    return [_top() / f"slot-{number}" for number in range(settings.CMS_JOBS_AT_ONCE)]


def _is_older(path: Path, seconds: float) -> bool:
    with suppress(FileNotFoundError):  # another process clears away, too
        return time.time() - path.stat().st_mtime > seconds
    return False


def _top() -> Path:
    return _made(Path(settings.DATA_DIR) / "jobs")


def _uploads() -> Path:
    return _made(_top() / "uploads")


def _upload_path(token: str) -> Path:
    return _uploads() / token


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
