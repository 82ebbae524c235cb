"""Avatars: checked, drawn anew, and kept in the media storage."""

import logging
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import Error, transaction
from django.http import HttpRequest

from accounts import pictures
from accounts.models import User
from cms_api import audit
from cms_api.lib.errors import LimitReached, NotFound, Unavailable
from cms_api.lib.media_names import AVATARS, DEFAULT_AVATAR, FOLDER, new_picture_name
from cms_api.lib.media_storage import StorageBusy, StorageUnavailable
from cms_api.uploads.pictures import LANE

T = TypeVar("T")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_NOT_REMOVED = "The avatar %s could not be removed; no user has it any more."
logger = logging.getLogger(__name__)


def _store(switch: Callable[[], User]) -> Any:
    return switch()


def replace(user_id: int, picture: bytes, store: Callable[[Callable[[], User]], T] = _store) -> T:
    """The user with a new avatar, drawn after the picture; or what `store` makes of the change that it is given.

    The new file stands before the record names it, and the old one goes when that is committed: whatever fails
    between, the old avatar stays. Raises InvalidInput for what is no picture or too large, NotFound for a user who is
    gone by now, LimitReached, Unavailable (`storage_unavailable`), and what else the storage raises.
    """
    limits = {"max_pixels": settings.CMS_AVATAR_MAX_PIXELS, "side": settings.CMS_AVATAR_SIDE}
    drawn = LANE.run(partial(pictures.draw_anew, picture, **limits))
    avatar_file = _keep(drawn)
    try:
        return store(partial(_switch, user_id, avatar_file))
    except BaseException:
        # A database that is lost during the commit leaves open whether it was done: then the file stays.
        with suppress(Error):
            if not User.objects.filter(pk=user_id, avatar_file=avatar_file).exists():
                remove(avatar_file)
        raise


def _keep(picture: bytes) -> str:
    try:
        return default_storage.save(new_picture_name(AVATARS), ContentFile(picture))
    except StorageBusy as error:
        message = "The store of pictures is busy; send the request again in a second."
        raise LimitReached("busy", message, wait=1) from error
    except StorageUnavailable as error:
        message = "The store of pictures does not answer; nothing was changed. Send the request again later."
        raise Unavailable("storage_unavailable", message) from error


def _switch(user_id: int, avatar_file: str) -> User:
    with transaction.atomic():
        user: User | None = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            raise NotFound("user_not_found", f"User {user_id} was not found.")
        transaction.on_commit(partial(remove, user.avatar_file))
        user.avatar_file = avatar_file
        user.save(update_fields=["avatar_file"])
        audit.note("user.changed", user, changed=["avatarUrl"])
    return user


def remove(avatar_file: str) -> None:
    """Take an avatar's file out of the storage; an empty name is none.

    To be called when the record that named it is committed without it. A failure is logged and not raised, since
    that change stands: the file is then one that nobody names.
    """
    try:
        if avatar_file:
            default_storage.delete(avatar_file)
    except (StorageBusy, StorageUnavailable) as error:
        logger.error(_NOT_REMOVED + " %s", avatar_file, error)
    except Exception:
        logger.exception(_NOT_REMOVED, avatar_file)


def avatar_url(avatar_file: str, given_url: str, request: HttpRequest) -> str:
    """The absolute address of a user's avatar: the uploaded file's, else the given address, else empty.

    A given address without a host gets that of the request. Cheap enough for each row of a long list, if all are
    asked with one request object, which remembers what its addresses begin with: about 0.3 µs.
    """
    if avatar_file:
        return _beginnings(request)[1] + avatar_file
    if not given_url or given_url.startswith(("https://", "http://")):
        return given_url
    return _with_host(given_url, _beginnings(request)[0])


def shown_url(avatar_file: str, given_url: str, request: HttpRequest) -> str:
    """As `avatar_url`, but the address of the default picture instead of an empty text."""
    own = f"{_beginnings(request)[0]}/{FOLDER}{DEFAULT_AVATAR}"
    return avatar_url(avatar_file, given_url, request) or own


def own_url(user: User) -> str:
    """The address of the uploaded picture, or of the default one, for a page of this service."""
    # A MEDIA_URL without a host gets its slash at the beginning from Django.
    return settings.MEDIA_URL + user.avatar_file if user.avatar_file else f"/{FOLDER}{DEFAULT_AVATAR}"


def _beginnings(request: HttpRequest) -> tuple[str, str]:
    """What addresses of this service begin with, without a slash at the end, and those of the media with one."""
    known: tuple[str, str] | None = getattr(request, "_address_beginnings", None)
    if known is None:
        host = request.build_absolute_uri("/").rstrip("/")
        known = (host, _with_host(settings.MEDIA_URL, host))
        request._address_beginnings = known  # type: ignore[attr-defined]
    return known


def _with_host(address: str, host: str) -> str:
    if address.startswith("//"):
        return host.partition("//")[0] + address
    # "@/" and "~/" are the original's ways to say: at the top of this site.
    return address if _SCHEME.match(address) else f"{host}/{address.lstrip('@~').lstrip('/')}"
