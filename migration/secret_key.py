"""The secret key of an installation of SiteServer, which decrypts its API keys."""

import json
import re
from pathlib import Path

from migration.sources.source import SourceError

# Not parsed as XML, which an attacker could make expensive.
_SETTING = re.compile(r"""<add\s+key\s*=\s*["']secretkey["']\s+value\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_MAX_BYTES = 1024**2


def find_secret_key(file: Path | None, installation: Path | None) -> str:
    """Return the text of the file, else the key in web.config or sscms.json, or "". Raises SourceError."""
    if file is not None:
        return _read(file).strip()
    if installation is None:
        return ""
    for path in (installation / "web.config", installation / "Web.config"):
        if path.is_file() and (match := _SETTING.search(_read(path))):
            return match[1]
    path = installation / "sscms.json"
    if not path.is_file():
        return ""
    try:
        found = json.loads(_read(path)).get("SecurityKey")
    except (ValueError, AttributeError, RecursionError) as error:
        raise SourceError(f"{path} is not a readable JSON object.") from error
    return found if isinstance(found, str) else ""


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error
