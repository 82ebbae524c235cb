from functools import partial
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from core import audit
from core.archive import media
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import InvalidInput
from core.lib.media_storage import SITE_FILES, extension_of
from core.rest.errors import TooLarge
from media_library.kinds import MediaKind, kind_of
from media_library.models import MediaFile, title_of
from media_library.reading import size_of_picture
from media_library.upload_pictures import draw
from sites.attributes import REGISTRY
from sites.models import Site
from sites.storing import asking
from sites.upload_kinds import NEVER_TAKEN, SAME_TYPE, UploadKind, UploadRules, rules_for, validate_content
from sites.watermark_checks import in_lane
from sites.watermarks import watermark_of

_KNOWN = ("bytes", "sha256", "width", "height", "title", "uploader", "uploaded_with_key")  # columns
_MAX_IN_MEMORY = 64 * 1024 * 1024  # bytes of a picture, which is drawn in memory, regardless of the site's limit


def media_root_url(site_id: int) -> str:
    """Return the replacement of `@/` to show a file of the site: `/media/sites/1/`."""
    return f"{settings.MEDIA_URL}{SITE_FILES.folder}/{site_id}/"


def most_bytes(site: Site) -> int:
    return max(rules_for(site, kind).max_bytes for kind in UploadKind)


def keep(site: Site, kind: UploadKind, file: UploadedFile) -> MediaFile:  # type: ignore[type-arg]
    """Store the file and its row; a picture is redrawn.

    Raises InvalidInput (`file_empty`, `type_not_taken`, `content_differs`, `not_a_picture`, `picture_too_large`,
    `animation_too_large`, and errors of `Watermark.put_on`: no picture is stored without its mark), TooLarge
    (`upload_too_large`), LimitReached and Unavailable (`storage_unavailable`).
    """
    rules, name = rules_for(site, kind), file.name or ""
    if not file.size:
        raise InvalidInput("file_empty", "The file is empty.")
    most = min(rules.max_bytes, _MAX_IN_MEMORY) if kind is UploadKind.IMAGE else rules.max_bytes
    if file.size > most:
        raise file_too_large(most)
    if kind is UploadKind.IMAGE:
        return _keep_picture(site, rules, file)
    extension = extension_of(name)
    if extension in NEVER_TAKEN or extension not in rules.extensions:
        raise _type_not_taken(rules)
    validate_content(file, extension)
    path = rules.path_for(name, extension, clock.now())
    known: dict[str, Any] = {"sha256": media.digest(file.chunks())}
    if kind_of(path) is MediaKind.IMAGE and file.size <= _MAX_IN_MEMORY:  # a site may take pictures unchanged, too
        file.seek(0)
        known["width"], known["height"] = in_lane(partial(size_of_picture, file.read()))
    return _store(site, file, {path: file}, **known)


def _keep_picture(site: Site, rules: UploadRules, file: UploadedFile) -> MediaFile:  # type: ignore[type-arg]
    limits = {"max_pixels": settings.CMS_PICTURE_MAX_PIXELS, "side": settings.CMS_PICTURE_SIDE}
    values = REGISTRY.values(site.settings)
    widths = [("small", values["photoSmallWidth"]), ("middle", values["photoMiddleWidth"])]
    mark = watermark_of(site.pk, values, clock.now())
    is_bitmap = file.read(2) == b"BM"
    file.seek(0)
    drawn = in_lane(partial(draw, file.read(), widths=widths, mark=mark, **limits))
    is_taken_bitmap = is_bitmap and "bmp" in rules.extensions
    if not SAME_TYPE[drawn.extension].intersection(rules.extensions) and not is_taken_bitmap:
        raise _type_not_taken(rules)
    path = rules.path_for(file.name or "", drawn.extension, clock.now())
    stem = path.removesuffix(f".{drawn.extension}")
    smaller = {f"{stem}_{name}.{drawn.extension}": ContentFile(data) for name, data in drawn.smaller.items()}
    known = {"sha256": media.digest([drawn.data]), "width": drawn.width, "height": drawn.height}
    return _store(site, file, {path: ContentFile(drawn.data), **smaller}, **known)


def _store(site: Site, sent: File, files: dict[str, File], **known: Any) -> MediaFile:  # type: ignore[type-arg]
    """Store the files, then the row of the first one: after a crash between them, `sync_media` adds the row."""
    path, file = next(iter(files.items()))
    actor = audit.current_actor(with_address=False)
    row = MediaFile(
        site=site,
        path=path,
        kind=kind_of(path),
        bytes=file.size,
        title=title_of(sent.name or ""),
        uploader="" if actor.kind == AuditEntry.ActorKind.COMMAND else actor.name,
        uploaded_with_key=actor.key_name,
        **known,
    )
    names = {f"{SITE_FILES.folder}/{site.pk}/{each}": content for each, content in files.items()}
    for name, content in names.items():
        asking(partial(default_storage.save, name, content))
    with media.stored_for_rows() as stored:
        stored += names
        # sync_media may have found the file.
        MediaFile.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["site", "path"], update_fields=_KNOWN
        )
        stored.clear()
    return row


def _type_not_taken(rules: UploadRules) -> InvalidInput:
    types = ", ".join(each for each in rules.extensions if each not in NEVER_TAKEN)
    return InvalidInput("type_not_taken", f"The site accepts only files of these types here: {types}.", types=types)


def file_too_large(max_bytes: int) -> TooLarge:
    size = f"{max_bytes // 1024} KB" if max_bytes < 1024 * 1024 else f"{max_bytes / 1024 / 1024:.1f} MB"
    return TooLarge("upload_too_large", f"The file is larger than {max_bytes} bytes.", size=size.replace(".0 ", " "))
