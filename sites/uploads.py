"""Takes in the files that editors upload: looked at, named and kept as the settings of their site want it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, LimitReached, ServiceError
from cms_api.lib.media_names import SITE_FILES
from cms_api.rest.errors import TooLarge
from cms_api.uploads.pictures import LANE
from sites.attributes import REGISTRY
from sites.models import Site
from sites.storing import asking
from sites.upload_contents import refuse_pretence
from sites.upload_kinds import NEVER_TAKEN, UploadKind, UploadRules, extension_of, rules_for
from sites.upload_pictures import SAME_TYPE, DrawnPicture, draw
from sites.watermarks import installed_font, try_mark, watermark_of

T = TypeVar("T")
_MOST_IN_MEMORY = 64 * 1024 * 1024  # bytes of a picture, which is drawn from memory, whatever its site says


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that has been kept: its address in contents (`@/upload/…`), its name, and the size of a picture."""

    address: str
    name: str
    width: int | None = None
    height: int | None = None


def shown_root(site_id: int) -> str:
    """What takes the place of `@/` where a file of the site is shown: `/media/sites/1/`."""
    return f"{settings.MEDIA_URL}{SITE_FILES.folder}/{site_id}/"


def most_bytes(site: Site) -> int:
    """How large the largest file is that the site takes, of whatever kind."""
    return max(rules_for(site, kind).max_bytes for kind in UploadKind)


def keep(site: Site, kind: UploadKind, file: UploadedFile) -> Uploaded:  # type: ignore[type-arg]
    """Keep the file in the storage, a picture drawn anew.

    Raises InvalidInput (`file_empty`, `type_not_taken`, `content_differs`, `not_a_picture`, `picture_too_large`,
    `animation_too_large`, and what `Watermark.put_on` raises: no picture is kept without its mark), TooLarge
    (`upload_too_large`), LimitReached and Unavailable (`storage_unavailable`).
    """
    rules = rules_for(site, kind)
    if not file.size:
        raise InvalidInput("file_empty", "The file is empty.")
    most = min(rules.max_bytes, _MOST_IN_MEMORY) if kind is UploadKind.IMAGE else rules.max_bytes
    if file.size > most:
        raise file_too_large(most)
    return _keep_picture(site, rules, file) if kind is UploadKind.IMAGE else _keep_file(site, rules, file)


def refuse_undrawable_mark(site_id: int, values: Mapping[str, Any]) -> None:
    """Raises as `keep` does where the watermark of these settings cannot be drawn."""
    if mark := watermark_of(site_id, values, clock.now()):
        _in_lane(partial(try_mark, mark))


def missing_font(values: Mapping[str, Any]) -> str:
    """The font of the watermark of these settings where it is not installed; empty where it is, or none is named.

    Raises LimitReached.
    """
    name = str(values["waterMarkFontName"]).strip()
    is_written = values["isWaterMark"] and not values["isImageWaterMark"]
    return name if name and is_written and not _in_lane(partial(installed_font, name)) else ""


def mark_problem(site: Site) -> ServiceError | None:
    """Why the watermark of the site cannot be drawn; None where it can be, and where there is none."""
    try:
        refuse_undrawable_mark(site.pk, REGISTRY.values(site.settings))
    except ServiceError as refusal:
        return refusal
    return None


def file_too_large(max_bytes: int) -> TooLarge:
    """The refusal of a file over the limit of its site."""
    return TooLarge("upload_too_large", f"The file is larger than {max_bytes} bytes.", size=_in_words(max_bytes))


def _in_words(number: int) -> str:
    return f"{number // 1024} KB" if number < 1024 * 1024 else f"{number / 1024 / 1024:.1f} MB".replace(".0 ", " ")


def _keep_file(site: Site, rules: UploadRules, file: UploadedFile) -> Uploaded:  # type: ignore[type-arg]
    name = file.name or ""
    extension = extension_of(name)
    if extension in NEVER_TAKEN or extension not in rules.extensions:
        raise _type_not_taken(rules)
    refuse_pretence(file, extension)
    return _kept(site, rules, name, extension, file)


def _keep_picture(site: Site, rules: UploadRules, file: UploadedFile) -> Uploaded:  # type: ignore[type-arg]
    limits = {"max_pixels": settings.CMS_PICTURE_MAX_PIXELS, "side": settings.CMS_PICTURE_SIDE}
    mark = watermark_of(site.pk, REGISTRY.values(site.settings), clock.now())
    drawn = _in_lane(partial(draw, file.read(), widths=_widths(site), mark=mark, **limits))
    if not SAME_TYPE[drawn.extension].intersection(rules.extensions) and not _was_bitmap(rules, file):
        raise _type_not_taken(rules)
    kept = _kept(site, rules, file.name or "", drawn.extension, ContentFile(drawn.data))
    _keep_smaller(site, kept, drawn)
    return Uploaded(kept.address, kept.name, drawn.width, drawn.height)


def _in_lane(work: Callable[[], T]) -> T:
    try:
        return LANE.run(work)
    except LimitReached as error:
        # "busy" alone is what sign-ins say.
        raise LimitReached("pictures_busy", error.message, wait=error.wait) from error


def _was_bitmap(rules: UploadRules, file: UploadedFile) -> bool:  # type: ignore[type-arg]
    file.seek(0)
    return "bmp" in rules.extensions and file.read(2) == b"BM"


def _widths(site: Site) -> list[tuple[str, int]]:
    values = REGISTRY.values(site.settings)
    return [("small", values["photoSmallWidth"]), ("middle", values["photoMiddleWidth"])]


def _kept(site: Site, rules: UploadRules, name: str, extension: str, file: File) -> Uploaded:  # type: ignore[type-arg]
    path = rules.path_for(name, extension, clock.now())
    asking(lambda: default_storage.save(f"{SITE_FILES.folder}/{site.pk}/{path}", file))
    return Uploaded(f"@/{path}", path.rpartition("/")[2])


def _keep_smaller(site: Site, kept: Uploaded, drawn: DrawnPicture) -> None:
    stem, _, extension = kept.address.removeprefix("@/").rpartition(".")
    for name, data in drawn.smaller.items():
        path = f"{SITE_FILES.folder}/{site.pk}/{stem}_{name}.{extension}"
        asking(partial(default_storage.save, path, ContentFile(data)))


def _type_not_taken(rules: UploadRules) -> InvalidInput:
    types = ", ".join(each for each in rules.extensions if each not in NEVER_TAKEN)
    return InvalidInput("type_not_taken", f"The site takes files of these types here: {types}.", types=types)
