"""What media are called: their address at this service, and the names below it."""

import re

from django.utils.crypto import get_random_string

# Where this service serves them, whatever CMS_MEDIA_URL says.
FOLDER = "media/"
AVATARS = "avatars"
# What a user without an avatar looks like; the file comes with the service.
DEFAULT_AVATAR = f"{AVATARS}/default.png"
# A new name within a folder of pictures; two letters of it spread the files over folders.
PICTURE_NAMES = re.compile(r"[a-z0-9]{2}/[a-z0-9]{30}\.png")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def new_picture_name(folder: str) -> str:
    """A name that nobody guesses, of a PNG in that folder."""
    name = get_random_string(30, _LETTERS)
    return f"{folder}/{name[:2]}/{name}.png"
