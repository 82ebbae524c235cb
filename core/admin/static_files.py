import filecmp
import logging
import os
import re
import shutil
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

_LEFT_BEHIND = 3600  # seconds until a folder of collected files counts as left by a dead process
_HASH = re.compile(r"\.[0-9a-f]{12}(?=\.[^./]+$)")
_log = logging.getLogger(__name__)


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files with hashed names; files that were not collected (tests, CMS_DEBUG) keep their plain name."""

    def stored_name(self, name: str) -> str:
        collected: dict[str, str] = self.hashed_files
        return collected.get(self.hash_key(self.clean_name(name)), name)

    def load_manifest(self) -> tuple[dict[str, str], str]:
        try:
            found: tuple[dict[str, str], str] = super().load_manifest()
        except ValueError:  # `collectstatic` was killed while it wrote the manifest
            return {}, ""
        return found

    def get_modified_time(self, name: str) -> datetime:
        """Return a time before all others: `collectstatic` would skip files older than those collected last."""
        return datetime.min


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Also serves files collected since the start and, for a hash unknown here, this code's version of the file.

    While nodes with new code replace old ones, a page of one node requests its files from others.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if not self.autorefresh and path.startswith(self.static_prefix) and path not in self.files:
            if self._is_collected(path):
                self.files[path] = self.get_static_file(self._file_of(path), path)
            elif (own := self._own_version(path)) is not None:
                response: HttpResponseBase = self.serve(own, request)
                response.headers["Cache-Control"] = "no-store"
                return response
        answer: HttpResponseBase = super().__call__(request)
        return answer

    def _is_collected(self, path: str) -> bool:
        root, file = os.path.join(self.static_root, ""), self._file_of(path)
        is_inside = self.url_is_canonical(path) and self.path_is_child_of(file, root)
        return is_inside and os.path.isfile(file) and not self.is_compressed_variant(file)

    def _file_of(self, path: str) -> str:
        return os.path.join(self.static_root, path.removeprefix(self.static_prefix))

    def _own_version(self, path: str) -> Any:
        name, hashes = _HASH.subn("", path.removeprefix(self.static_prefix))
        storage: Any = staticfiles_storage
        return self.files.get(self.static_prefix + storage.stored_name(name)) if hashes else None


def is_collected() -> bool:
    """Return whether STATIC_ROOT has the files of this code."""
    try:
        storage = StaticFiles()
        return all(
            (hashed := storage.hashed_files.get(name))
            and os.path.isfile(storage.path(hashed))
            and filecmp.cmp(path, storage.path(name), shallow=False)
            for name, path in _files_of_code().items()
        )
    except OSError:  # a file is missing
        return False


def _files_of_code() -> dict[str, str]:
    ignored = apps.get_app_config("staticfiles").ignore_patterns  # type: ignore[attr-defined]
    found: dict[str, str] = {}
    for finder in get_finders():
        for path, storage in finder.list(ignored):
            prefix = getattr(storage, "prefix", None)
            found.setdefault(os.path.join(prefix, path) if prefix else path, storage.path(path))
    return found


def collect_if_needed() -> None:
    """Collect the files of this code unless they are there; a failure is only logged."""
    if settings.DEBUG or is_collected():
        return
    try:
        _collect(Path(settings.STATIC_ROOT))
    except OSError as error:
        _log.error("The style sheets and scripts of the admin could not be collected: %s", error)
    storage: Any = staticfiles_storage
    storage.hashed_files, storage.manifest_hash = storage.load_manifest()


def _collect(root: Path) -> None:
    """Collect in a folder beside it and move each file atomically, since a server with other code may serve from it.

    The names of other releases stay.
    """
    # Imported here, since only few processes collect.
    from django.contrib.staticfiles.management.commands.collectstatic import Command

    for former in root.parent.glob(".static-*"):
        if time.time() - former.stat().st_mtime > _LEFT_BEHIND:
            shutil.rmtree(former, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".static-", dir=root.parent) as folder:
        command = Command()
        command.storage = StaticFiles(location=folder)
        call_command(command, interactive=False, verbosity=0)
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        # First the files that pages will name, then the manifest with the names, and last the file that `is_collected`
        # compares.
        ranks = {StaticFiles.manifest_name: 1} | dict.fromkeys(command.storage.hashed_files.values(), 0)
        for path in sorted(files, key=lambda path: ranks.get(path.relative_to(folder).as_posix(), 2)):
            target = root / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
