"""Files that a site accepts: folders, names, types and sizes by its settings, and the first bytes of each type."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from core.lib.errors import InvalidInput
from core.lib.media_storage import new_letters
from sites.attributes import REGISTRY
from sites.models import Site


class UploadKind(StrEnum):
    """The purpose of an uploaded file; the prefix of the settings about it."""

    IMAGE = "image"
    VIDEO = "video"
    FILE = "file"


# Types that some server or computer executes.
_RUN = """
    ade adp app application asa asax ascx ashx asmx asp aspx axd bash bat cdx cfc cfm cgi chm class cmd com cpl csh
    cshtml dll exe fcgi gadget hta htr idc inc inf ins isp jar jnlp jse jsp jspf jspx ksh lnk msc msi msp mst ocx phar
    php php3 php4 php5 php7 php8 phps pht phtml pif pl ps1 psm1 py pyc razor rb reg rem scf scr sh shb shs shtm shtml
    soap stm svc sys vb vbe vbhtml vbs vbscript vxd war ws wsc wsf wsh xll
"""
PROGRAMS = frozenset(_RUN.split())
# Editors upload none of these either, regardless of the settings: a file store does not sandbox pages.
_ACTIVE = "apk cer crt dmg svg svgz swf htm html mht mhtml xht xhtm xhtml xml xsl xslt js mjs css rdf rss atom"
NEVER_TAKEN = PROGRAMS.union(_ACTIVE.split())
# Names that a site's list of types may use for each extension.
SAME_TYPE = {"jpg": {"jpg", "jpeg"}, "png": {"png", "pneg"}, "gif": {"gif"}, "webp": {"webp"}, "avif": {"avif"}}
# Extensions that a site may list for pictures; a bitmap is stored as a PNG.
TAKEN_TYPES = frozenset({"bmp"}.union(*SAME_TYPE.values()))
# Folders by date within the folder of the kind; "Chinese" makes one folder per day, named in Chinese.
_BY_DATE = {"Year": "{0:%Y}", "Month": "{0:%Y/%m}", "Day": "{0:%Y/%m/%d}", "Chinese": "{0.year}年{0.month}月{0.day}日"}
_EXTENSION = re.compile("[a-z0-9]{1,10}")
_ODD = re.compile(r"[^\w.()+@-]+")
_MAX = 80  # characters of a name or a folder
_UNIQUE = 6  # random letters after an original name: no file is ever overwritten, and browsers may cache it forever
_NEW = 16

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLD_OFFICE = (b"\xd0\xcf\x11\xe0",)
_MATROSKA = (b"\x1a\x45\xdf\xa3",)
_RIFF = (b"RIFF",)
# First bytes by type; types not listed may begin with any.
_BEGINNINGS = {
    "7z": (b"7z\xbc\xaf\x27\x1c",),
    "avi": _RIFF,
    "doc": _OLD_OFFICE,
    "docx": _ZIP,
    "flv": (b"FLV",),
    "gif": (b"GIF8",),
    "jpeg": (b"\xff\xd8",),
    "jpg": (b"\xff\xd8",),
    "ogg": (b"OggS",),
    "pdf": (b"%PDF",),
    "png": (b"\x89PNG",),
    "ppt": _OLD_OFFICE,
    "pptx": _ZIP,
    "rar": (b"Rar!",),
    "wav": _RIFF,
    "webm": _MATROSKA,
    "xls": _OLD_OFFICE,
    "xlsx": _ZIP,
    "zip": _ZIP,
}
_FILMS = frozenset({"mp4", "m4v", "m4a", "mov"})
_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
_PROGRAMS = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"#!")
_PAGES = (b"<!doctype html", b"<html", b"<script", b"<svg", b"<?php", b"<%")
_MAY_BE_PAGES = frozenset({"css", "htm", "html", "js", "txt", "xhtml", "xml"})
_LOOKED_AT = 1024


@dataclass(frozen=True, slots=True)
class UploadRules:
    folder: str
    by_date: str
    is_renamed: bool
    extensions: tuple[str, ...]
    max_bytes: int

    def path_for(self, file_name: str, extension: str, now: datetime) -> str:
        """Return the path of a new file within the site: `upload/images/2026/11/x.jpg`."""
        folders = "/".join(filter(None, [self.folder, _BY_DATE[self.by_date].format(now)]))
        kept = "" if self.is_renamed else _cleaned(PurePosixPath(file_name).stem)
        name = f"{kept}-{new_letters(_UNIQUE)}" if kept else new_letters(_NEW)
        return f"{folders}/{name}.{extension}"


def rules_for(site: Site, kind: UploadKind) -> UploadRules:
    values = REGISTRY.values(site.settings)
    return UploadRules(
        folder=folder_of(values[f"{kind}UploadDirectoryName"]) or f"upload/{kind}s",
        by_date=values[f"{kind}UploadDateFormatString"],
        is_renamed=values[f"is{kind.capitalize()}UploadChangeFileName"],
        extensions=tuple(filter(_EXTENSION.fullmatch, _listed(values[f"{kind}UploadTypeCollection"]))),
        max_bytes=values[f"{kind}UploadTypeMaxSize"] * 1024,
    )


def untaken_types(kind: UploadKind, listed: str, before: str) -> list[str]:
    """Return new entries of a list of types that are never accepted; SiteServer's defaults contain such types, too."""
    new = [name for name in _listed(listed) if name not in _listed(before)]
    if kind is UploadKind.IMAGE:
        return [name for name in new if name not in TAKEN_TYPES]
    return [name for name in new if name in NEVER_TAKEN or not _EXTENSION.fullmatch(name)]


def _listed(listed: Any) -> list[str]:
    # Stored lists use both separators, and may have dots before the extensions.
    names = (name.strip(" .").lower() for name in re.split(r"[|,;\s]", str(listed)))
    return list(dict.fromkeys(filter(None, names)))


def folder_of(name: str) -> str:
    """Return the folder of the setting, without unsuitable characters; empty if nothing is left."""
    parts = (_cleaned(part) for part in re.split(r"[/\\]", name.removeprefix("@")))
    return "/".join(list(filter(None, parts))[:6])


def _cleaned(name: str) -> str:
    return _ODD.sub("-", name).strip("-.")[:_MAX].strip("-.")


def validate_content(file: UploadedFile, extension: str) -> None:  # type: ignore[type-arg]
    """Raises InvalidInput if the first bytes do not fit the type or belong to a program. Rewinds the file."""
    file.seek(0)
    head = file.read(_LOOKED_AT)
    file.seek(0)
    if extension in _FILMS:
        is_right = head[4:8] in _BOXES
    elif extension == "pdf":  # printers may put some bytes before it
        is_right = b"%PDF" in head
    elif extension in _BEGINNINGS:
        is_right = head.startswith(_BEGINNINGS[extension])
    else:
        is_right = extension in _MAY_BE_PAGES or not head.lstrip().lower().startswith(_PAGES)
    if not is_right or head.startswith(_PROGRAMS):
        message = f"The file's content does not match its name: it is not of the type {extension}."
        raise InvalidInput("content_differs", message, type=extension)
