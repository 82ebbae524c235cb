"""Whether a file holds what its name says, as far as its first bytes tell."""

from django.core.files.uploadedfile import UploadedFile

from cms_api.lib.errors import InvalidInput

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLD_OFFICE = (b"\xd0\xcf\x11\xe0",)
_MATROSKA = (b"\x1a\x45\xdf\xa3",)
_RIFF = (b"RIFF",)
# How files of a type begin; a type that is not listed may begin anyhow.
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


def refuse_pretence(file: UploadedFile, extension: str) -> None:  # type: ignore[type-arg]
    """Raises InvalidInput (`content_differs`) for a file that begins otherwise than those of its type, or as a program.

    Leaves the file at its beginning.
    """
    file.seek(0)
    head = file.read(_LOOKED_AT)
    file.seek(0)
    if head.startswith(_PROGRAMS) or not _begins_as(extension, head):
        message = f"The file does not hold what its name says: it is not of the type {extension}."
        raise InvalidInput("content_differs", message, type=extension)


def _begins_as(extension: str, head: bytes) -> bool:
    if extension in _FILMS:
        return head[4:8] in _BOXES
    if extension == "pdf":  # which may have some bytes of a printer before it
        return b"%PDF" in head
    if extension in _BEGINNINGS:
        return head.startswith(_BEGINNINGS[extension])
    return extension in _MAY_BE_PAGES or not head.lstrip().lower().startswith(_PAGES)
