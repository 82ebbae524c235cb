"""Files of visitors: their type is that of their content, and pictures are redrawn, so that nothing hides in them."""

import struct
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from django.conf import settings
from django.utils.translation import gettext as _

from core.lib.errors import InvalidInput, LimitReached
from core.lib.media_storage import extension_of
from media_library.upload_pictures import draw
from pages.engine.elements.forms import FILE_TYPES, MAX_FILE_BYTES
from sites.watermark_checks import in_lane

MEGABYTE = 1024 * 1024
_PICTURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg"}
# The main part of a document, by its type.
_MAIN_PARTS = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml"}
_CONTENT_TYPES, _MACROS = "[Content_Types].xml", "vbaproject.bin"
_MAX_PARTS, _MAX_UNPACKED = 5_000, 200 * MEGABYTE  # of a document
_LISTED_PART = b"PK\x01\x02"
_ZIP_ERRORS = (BadZipFile, OSError, EOFError, RuntimeError, ValueError, struct.error, zlib.error)
_WHITE = {"\t", "\n", "\r", "\f"}
_MAX_STEM = 100  # characters


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    name: str
    data: bytes
    media_type: str


def accept(kind: str, name: str, data: bytes) -> AcceptedFile:
    """Return the file as it is stored; `kind` is that of the field.

    Raises InvalidInput with a sentence for the visitor, and LimitReached while pictures have to wait.
    """
    shown = cleaned(name)
    found = _type_of(data, extension_of(shown))
    if found not in FILE_TYPES[kind]:
        types = ", ".join(each.upper() for each in FILE_TYPES[kind])
        told = _("“%(name)s” is not one of these kinds of files: %(types)s.")
        raise InvalidInput("file_refused", told % {"name": shown, "types": types})
    if found in FILE_TYPES["image"]:
        data, found = _redrawn(shown, data)
    return AcceptedFile(_named(shown, found), data, FILE_TYPES["file"][found])


def too_large(name: str) -> InvalidInput:
    told = _("“%(name)s” is larger than %(size)d MB.")
    return InvalidInput("file_refused", told % {"name": cleaned(name), "size": MAX_FILE_BYTES // MEGABYTE})


def cleaned(name: str) -> str:
    """Return the name without folders, and without characters that hide others, change their order or end a line."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    kept = "".join(character for character in last if character.isprintable() and character not in '<>:"|?*')
    stem, dot, extension = kept.rstrip(" .").rpartition(".")
    stem, extension = (stem, extension) if dot else (extension, "")
    return f"{stem.strip(' .')[:_MAX_STEM].rstrip(' .') or 'file'}{dot}{extension[:_MAX_STEM]}"


def _named(name: str, extension: str) -> str:
    return name if extension_of(name) == extension else f"{name.rpartition('.')[0] or name}.{extension}"


def _type_of(data: bytes, extension: str) -> str:
    """Return the type of the content, which but for pictures must be that of the name; empty for another."""
    for beginning, picture in _PICTURES.items():
        if data.startswith(beginning):
            return picture
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    checks: dict[str, Callable[[], bool]] = {
        "pdf": lambda: data.startswith(b"%PDF-"),
        "txt": lambda: _is_text(data),
        **{each: partial(_is_document, data, main) for each, main in _MAIN_PARTS.items()},
    }
    return extension if extension in checks and checks[extension]() else ""


def _is_text(data: bytes) -> bool:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return bool(text) and not any(character < " " and character not in _WHITE for character in set(text))
    return False


def _is_document(data: bytes, main: str) -> bool:
    """Return whether it is a document of the kind, without macros, that unpacks to a bounded size; unpacks nothing."""
    if not data.startswith(b"PK\x03\x04") or data.count(_LISTED_PART) > _MAX_PARTS:
        return False
    try:
        with ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
    except _ZIP_ERRORS:
        return False
    names = {part.filename for part in parts}
    has_macros = any(name.lower().endswith(_MACROS) for name in names)
    return {_CONTENT_TYPES, main} <= names and not has_macros and sum(each.file_size for each in parts) <= _MAX_UNPACKED


def _redrawn(name: str, data: bytes) -> tuple[bytes, str]:
    """Return the picture without metadata, and its type."""
    limits = {"max_pixels": settings.CMS_PICTURE_MAX_PIXELS, "side": settings.CMS_PICTURE_SIDE}
    try:
        drawn = in_lane(partial(draw, data, **limits))
    except LimitReached as error:
        raise LimitReached(
            "pictures_busy", _("The service is busy. Send it again in a moment."), wait=error.wait
        ) from error
    except InvalidInput as error:
        unread = _("“%(name)s” cannot be read as a picture.")
        told = unread if error.code == "not_a_picture" else _("The picture “%(name)s” has too many pixels.")
        raise InvalidInput("file_refused", told % {"name": name}) from error
    return drawn.data, drawn.extension
