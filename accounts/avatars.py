import io
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from operator import call, mul
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import Error, transaction
from django.http import HttpRequest
from PIL import Image, JpegImagePlugin

from accounts.models import Administrator, User
from core import audit
from core.lib.errors import InvalidInput, LimitReached, NotFound, Unavailable
from core.lib.media_storage import AVATARS, DEFAULT_AVATAR, FOLDER, StorageBusy, StorageUnavailable, new_picture_name
from core.uploads.pictures import (
    LANE,
    UPRIGHT,
    in_eight_bits,
    in_srgb,
    last_read,
    open_picture,
    orientation,
    suspicious,
)
from core.uploads.png_strips import strips_of

SIDE = 512  # pixels of the longer side of a stored avatar
Kind = type[User] | type[Administrator]
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_NOT_REMOVED = "The avatar %s could not be deleted; no user uses it any more."
_OPAQUE = {"L", "RGB", "CMYK"}
_ROWS = 8  # rows of the smaller picture per strip
# Bytes that decoding may hold for the pixels of a whole picture. Pillow holds one or two for each pixel in these modes
# and four in others; for WebP two canvases, the frame and its copy.
_MAX_HELD = 50_000_000
_HELD = {"1": 1, "L": 1, "P": 1, "I;16": 2}
_HELD_FOR_WEBP = 16
logger = logging.getLogger(__name__)


def replace(kind: Kind, account_id: int, picture: bytes, store: Callable[[Callable[[], Any]], Any] = call) -> Any:
    """Redraw the picture as the account's avatar; `store` runs the change and may add to it.

    The new file is stored before the record names it, and the old one is deleted after the commit: if anything fails,
    the old avatar stays. Raises InvalidInput if it is no picture or too large, NotFound for a deleted account,
    LimitReached, Unavailable (`storage_unavailable`), and other errors of the storage.
    """
    limits = {"max_pixels": settings.CMS_AVATAR_MAX_PIXELS, "side": SIDE}
    drawn = LANE.run(partial(draw_anew, picture, **limits))
    try:
        avatar_file = default_storage.save(new_picture_name(AVATARS), ContentFile(drawn))
    except StorageBusy as error:
        message = "The picture storage is busy; send the request again in a second."
        raise LimitReached("busy", message, wait=1) from error
    except StorageUnavailable as error:
        message = "The picture storage does not respond; nothing was changed. Send the request again later."
        raise Unavailable("storage_unavailable", message) from error
    try:
        return store(partial(switch, kind, account_id, avatar_file))
    except BaseException:
        # If the database was lost during the commit, its outcome is unknown, so the file stays.
        with suppress(Error):
            if not kind._default_manager.filter(pk=account_id, avatar_file=avatar_file).exists():
                remove(avatar_file)
        raise


def switch(kind: Kind, account_id: int, avatar_file: str) -> Any:
    """Store another file as the avatar, or none, and return the account; the old file is deleted after the commit.

    Raises NotFound.
    """
    with transaction.atomic():
        account = kind._default_manager.select_for_update().filter(pk=account_id).first()
        if account is None:
            name = kind._meta.model_name
            raise NotFound(f"{name}_not_found", f"{str(name).capitalize()} {account_id} was not found.")
        transaction.on_commit(partial(remove, account.avatar_file))
        account.avatar_file = avatar_file
        account.save(update_fields=["avatar_file"])
        audit.record(f"{kind._meta.model_name}.changed", account, changed=["avatarUrl"])
    return account


def remove(avatar_file: str) -> None:
    """Delete the file after the commit that dropped it; errors are only logged."""
    try:
        if avatar_file:
            default_storage.delete(avatar_file)
    except (StorageBusy, StorageUnavailable) as error:
        logger.error(_NOT_REMOVED + " %s", avatar_file, error)
    except Exception:
        logger.exception(_NOT_REMOVED, avatar_file)


def avatar_url(avatar_file: str, given_url: str, request: HttpRequest) -> str:
    """Return the absolute address of the uploaded file, else the stored URL (on the request's host), else ""."""
    if avatar_file:
        return _beginnings(request)[1] + avatar_file
    if not given_url or given_url.startswith(("https://", "http://")):
        return given_url
    return _with_host(given_url, _beginnings(request)[0])


def avatar_url_of(avatar_file: str, given_url: str, request: HttpRequest) -> str:
    """Like `avatar_url`, but with the address of the default picture instead of an empty text."""
    own = f"{_beginnings(request)[0]}/{FOLDER}{DEFAULT_AVATAR}"
    return avatar_url(avatar_file, given_url, request) or own


def own_url(user: User) -> str:
    # Django adds the leading slash to a MEDIA_URL without a host.
    return settings.MEDIA_URL + user.avatar_file if user.avatar_file else f"/{FOLDER}{DEFAULT_AVATAR}"


def _beginnings(request: HttpRequest) -> tuple[str, str]:
    known: tuple[str, str] | None = getattr(request, "_address_beginnings", None)
    if known is None:
        host = request.build_absolute_uri("/").rstrip("/")
        known = (host, _with_host(settings.MEDIA_URL, host))
        request._address_beginnings = known  # type: ignore[attr-defined]
    return known


def _with_host(address: str, host: str) -> str:
    if address.startswith("//"):
        return host.partition("//")[0] + address
    # "@/" and "~/" mean the top of this site, as in SiteServer.
    return address if _SCHEME.match(address) else f"{host}/{address.lstrip('@~').lstrip('/')}"


def draw_anew(data: bytes, *, max_pixels: int, side: int) -> bytes:
    """Return the first frame as an upright PNG in sRGB, at most `side` pixels; for one thread at a time.

    Checks the size before decoding. Raises InvalidInput (`not_a_picture`, `picture_too_large`,
    `picture_too_large_for_format`).
    """
    with suspicious(max_pixels):
        picture = open_picture(data, max_pixels)
        small, turned = _shrink(picture, data, side)
        small = in_srgb(small.convert("RGBA") if small.mode == "RGBa" else small, picture)
    if turned in UPRIGHT:
        small = small.transpose(UPRIGHT[turned])
    drawn = small.convert("RGBA" if small.mode in {"LA", "RGBA"} else "RGB")
    if drawn.mode == "RGBA" and drawn.getchannel("A").getextrema() == (255, 255):
        drawn = drawn.convert("RGB")
    drawn.info = {}
    file = io.BytesIO()
    drawn.save(file, "PNG")
    return file.getvalue()


def _held(picture: Image.Image, data: bytes) -> float:
    """Return the bytes per pixel that decoding holds, not counting a few rows."""
    if picture.format == "WEBP":
        return _HELD_FOR_WEBP
    if not isinstance(picture, JpegImagePlugin.JpegImageFile):
        return 0 if strips_of(picture, data, 1) else _HELD.get(picture.mode, 4)
    # JPEG: two bytes per sample, unless one scan has all channels. Several scans are combined before drawing.
    channels_of_first_scan = data[last_read(picture)]
    if "progressive" not in picture.info and channels_of_first_scan == picture.layers:
        return 0
    _, across, down, _ = zip(*picture.layer, strict=True)
    samples: float = sum(map(mul, across, down)) / (max(across) * max(down))
    return 2 * samples


def _shrink(picture: Image.Image, data: bytes, side: int) -> tuple[Image.Image, object]:
    held = _held(picture, data)
    if picture.width * picture.height * held > _MAX_HELD:
        megapixels = f"{_MAX_HELD / held // 100_000 / 10:g}"
        message = (
            f"A picture in this format may have at most {megapixels} megapixels. Save it as a JPEG that is not "
            "progressive or as a PNG that is not interlaced."
        )
        raise InvalidInput("picture_too_large_for_format", message, megapixels=megapixels)
    share = (1 if held else 2) * side / max(picture.size)
    wanted = (max(1, round(share * picture.width)), max(1, round(share * picture.height)))
    picture.draft(None, wanted)  # Pillow decodes large JPEGs at a reduced size
    factor = max(1, max(picture.size) // (2 * side))
    small = _reduce(strips_of(picture, data, _ROWS * factor) or _cut(picture, _ROWS * factor), picture.size, factor)
    scale = min(1.0, side / max(small.size))
    size = tuple(max(1, round(scale * length)) for length in small.size)
    turned = orientation(picture)
    return (small if size == small.size else small.resize(size, Image.Resampling.LANCZOS)), turned


def _cut(picture: Image.Image, rows: int) -> Iterator[Image.Image]:
    picture.load()
    for top in range(0, picture.height, rows):
        yield picture.crop((0, top, picture.width, min(picture.height, top + rows)))


def _reduce(strips: Iterator[Image.Image], size: tuple[int, int], factor: int) -> Image.Image:
    """Shrink the picture by a whole factor, each pixel a mean; strip by strip, to save memory."""
    small, top = None, 0
    for strip in strips:
        is_opaque = strip.mode in _OPAQUE and "transparency" not in strip.info
        # Other modes become premultiplied RGBA of eight bits.
        part = (strip if is_opaque else in_eight_bits(strip).convert("RGBA").convert("RGBa")).reduce(factor)
        small = small or Image.new(part.mode, (part.width, -(-size[1] // factor)))
        small.paste(part, (0, top))
        top += part.height
    assert small is not None  # noqa: S101 - a picture has rows
    return small
