"""Files that a copy of a site's channels needs."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from core.archive import media
from core.lib.media_storage import SITE_FILES
from media_library.services import record_files
from media_library.uploads import media_root_url
from sites.models import Site
from sites.upload_kinds import UploadKind, rules_for

_PATH = r"""([^\s"'<>()?#@]{1,500}\.[A-Za-z0-9]{1,8})"""
_BEFORE = r"""(?<![^\s"'=(,])"""
_OWN = "@/"
_PAGES = (".html", ".htm")
_EVERY = 20  # files between progress reports


class CopiedFiles:
    """The files that texts of the site name, and, with `has_pages`, files that its pages may load."""

    def __init__(self, source: Site, *, has_pages: bool) -> None:
        self._folder = f"{SITE_FILES.folder}/{source.pk}/"
        self._stored = {name.removeprefix(self._folder) for name in media.names(self._folder.rstrip("/"))}
        uploads = tuple(f"{rules_for(source, kind).folder}/" for kind in UploadKind)
        self.names = {path for path in self._stored if has_pages and not path.startswith(uploads)}
        self.missing: set[str] = set()
        starts = {_OWN, f"{source.web_url.rstrip('/')}/", media_root_url(source.pk)}
        start = "|".join(map(re.escape, sorted(starts, key=len, reverse=True)))
        self._address = re.compile(f"{_BEFORE}({start}){_PATH}")

    def adopt(self, text: str) -> str:
        """Note the files that the text names, and return it with their addresses as `@/…`."""
        return self._address.sub(self._adopted, text)

    def _adopted(self, found: re.Match[str]) -> str:
        path = unquote(found[2])
        if path in self._stored:
            self.names.add(path)
            return f"{_OWN}{found[2]}"
        if found[1] == _OWN and not path.endswith(_PAGES):
            self.missing.add(path)
        return found[0]

    def store(self, site_id: int, tell: Callable[[str, int, int], object], note: Callable[[list[str]], object]) -> int:
        """Store the files for another site and return their number; like `SiteFiles.store`."""
        targets = {path: f"{SITE_FILES.folder}/{site_id}/{path}" for path in sorted(self.names)}
        note(list(targets.values()))
        for number, (path, target) in enumerate(targets.items()):
            if number % _EVERY == 0:
                tell("files", number, len(targets))
            name = f"{self._folder}{path}"
            media.store(target, media.pieces_of(name, media.size_of(name)))
        record_files(Site.objects.get(pk=site_id), targets)
        return len(targets)
