"""What media are called: their address at this service, and the names below it."""

import re
from typing import NamedTuple

from django.utils.crypto import get_random_string

# Where this service serves them, whatever CMS_MEDIA_URL says.
FOLDER = "media/"
AVATARS = "avatars"
# What a user without an avatar looks like; the file comes with the service.
DEFAULT_AVATAR = f"{AVATARS}/default.png"
# A new name within a folder of pictures; two letters of it spread the files over folders.
PICTURE_NAMES = re.compile(r"[a-z0-9]{2}/[a-z0-9]{30}\.png")


class SiteFiles(NamedTuple):
    """Where the files of sites are, and what they may be called: `<site>/<folders>/<name>.<extension>`."""

    folder: str
    names: re.Pattern[str]


_PART = r"(?!\.)[\w .()+,@!~-]{1,120}"
SITE_FILES = SiteFiles("sites", re.compile(rf"[1-9]\d{{0,18}}(?:/{_PART}){{1,12}}(?<=[^.])\.[A-Za-z0-9]{{1,10}}"))
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def new_picture_name(folder: str) -> str:
    """A name that nobody guesses, of a PNG in that folder."""
    name = get_random_string(30, _LETTERS)
    return f"{folder}/{name[:2]}/{name}.png"


def new_letters(count: int) -> str:
    """Letters and digits that nobody guesses."""
    return get_random_string(count, _LETTERS)


# What browsers show and cannot be made to act by, each with its type; everything else is handed out to be kept.
SHOWN = {
    "avif": "image/avif",
    "bmp": "image/bmp",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain; charset=utf-8",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
}
