from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import drf_spectacular_sidecar
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

FOLDER = "swagger-ui"
NAMES = (
    "swagger-ui-bundle.js",
    "swagger-ui-bundle.js.LICENSE.txt",
    "swagger-ui.css",
    "swagger-ui.css.map",  # referenced by the style sheet, which cannot be collected without it
)
_PACKAGE = Path(drf_spectacular_sidecar.__file__).parent / "static" / "drf_spectacular_sidecar" / "swagger-ui-dist"


class SwaggerFiles(BaseFinder):
    """Finds the files as `swagger-ui/<name>`."""

    def __init__(self, *_arguments: Any, **_options: Any) -> None:
        storage: Any = FileSystemStorage(_PACKAGE)
        storage.prefix = FOLDER
        self._storage = storage

    def check(self, **_options: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **_options: Any) -> Any:
        """Return the file's path; an empty list if it is not one of these."""
        folder, _, name = path.partition("/")
        if folder != FOLDER or name not in NAMES:
            return []
        found = str(_PACKAGE / name)
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        yield from ((name, self._storage) for name in NAMES)
