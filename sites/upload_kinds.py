"""What a site lets editors upload: the folders, names, types and sizes that its settings give to each kind of file."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from cms_api.lib.media_names import new_letters
from sites.attributes import REGISTRY
from sites.models import Site
from sites.upload_pictures import TAKEN_TYPES


class UploadKind(StrEnum):
    """What an uploaded file is for; the first part of the names of the settings about it."""

    IMAGE = "image"
    VIDEO = "video"
    FILE = "file"


# What runs on some server, computer or page, whatever the settings say: a store of files knows no sandbox of ours.
_NEVER = """
    ade adp apk app asa asax ascx ashx asmx asp aspx bash bat cer cgi chm class cmd com cpl crt csh dll dmg exe hta
    htr
    inf ins isp jar jsp jspx ksh lnk msc msi msp mst ocx phar php php3 php4 php5 php7 phps pht phtml pif pl ps1 psm1 py
    pyc rb reg scf scr sh shb shs shtml svg svgz swf sys vb vbe vbs vbscript vxd war ws wsc wsf wsh
    htm html mht mhtml xht xhtm xhtml xml xsl xslt js mjs css rdf rss atom
"""
NEVER_TAKEN = frozenset(_NEVER.split())
_YEAR, _MONTH, _DAY = "{0:%Y}", "{0:%Y}/{0:%m}", "{0:%Y}/{0:%m}/{0:%d}"
# Folders by year, month or day within the folder of the kind; "Chinese" names one folder a day in that language.
_BY_DATE = {"Year": _YEAR, "Month": _MONTH, "Day": _DAY, "Chinese": "{0.year}年{0.month}月{0.day}日"}
_EXTENSION = re.compile("[a-z0-9]{1,10}")
_ODD = re.compile(r"[^\w.()+@-]+")
_MOST = 80  # characters of a name, and of a folder's
_UNIQUE = 6  # letters behind a name that is kept: no file is ever overwritten, and browsers may keep it for ever
_NEW = 16


@dataclass(frozen=True, slots=True)
class UploadRules:
    """What holds for one kind of file on a site."""

    kind: UploadKind
    folder: str
    by_date: str
    is_renamed: bool
    extensions: tuple[str, ...]
    max_bytes: int

    def path_for(self, file_name: str, extension: str, now: datetime) -> str:
        """Where a new file goes within the site: `upload/images/2026/11/x.jpg`."""
        folders = "/".join(filter(None, [self.folder, _BY_DATE[self.by_date].format(now)]))
        kept = "" if self.is_renamed else _cleaned(PurePosixPath(file_name).stem)
        name = f"{kept}-{new_letters(_UNIQUE)}" if kept else new_letters(_NEW)
        return f"{folders}/{name}.{extension}"


def rules_for(site: Site, kind: UploadKind) -> UploadRules:
    """The rules of the site's settings."""
    values = REGISTRY.values(site.settings)
    return UploadRules(
        kind=kind,
        folder=folder_of(values[f"{kind}UploadDirectoryName"]) or f"upload/{kind}s",
        by_date=values[f"{kind}UploadDateFormatString"],
        is_renamed=values[f"is{kind.capitalize()}UploadChangeFileName"],
        extensions=_extensions(values[f"{kind}UploadTypeCollection"]),
        max_bytes=values[f"{kind}UploadTypeMaxSize"] * 1024,
    )


def extension_of(file_name: str) -> str:
    """The extension in small letters, without the dot; empty where there is none."""
    return PurePosixPath(file_name).suffix.lstrip(".").lower()


def untaken_types(kind: UploadKind, listed: str, before: str) -> list[str]:
    """What is new in a list of types and would never be taken; defaults of the interface have such types, too."""
    new = [name for name in _listed(listed) if name not in _listed(before)]
    if kind is UploadKind.IMAGE:
        return [name for name in new if name not in TAKEN_TYPES]
    return [name for name in new if name in NEVER_TAKEN or not _EXTENSION.fullmatch(name)]


def _extensions(listed: Any) -> tuple[str, ...]:
    return tuple(name for name in _listed(listed) if _EXTENSION.fullmatch(name))


def _listed(listed: Any) -> list[str]:
    # Both separators are met (original-behaviour §9), and dots that somebody has put before the extensions.
    names = (name.strip(" .").lower() for name in re.split(r"[|,;\s]", str(listed)))
    return list(dict.fromkeys(filter(None, names)))


def folder_of(name: str) -> str:
    """The folder by that setting, without what no folder has; empty where nothing is left."""
    parts = (_cleaned(part) for part in re.split(r"[/\\]", name.removeprefix("@")))
    return "/".join(list(filter(None, parts))[:6])


def _cleaned(name: str) -> str:
    return _ODD.sub("-", name).strip("-.")[:_MOST].strip("-.")
