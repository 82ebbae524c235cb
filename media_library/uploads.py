from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from core import audit
from core.archive import media
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import InvalidInput
from core.lib.media_storage import SITE_FILES, StorageBusy, StorageUnavailable, extension_of
from core.rest.errors import TooLarge
from media_library.durations import duration_of
from media_library.kinds import MediaKind, kind_of, smaller_path
from media_library.models import MediaFile, MediaFolder, title_of
from media_library.reading import MAX_IN_MEMORY, size_of_picture
from media_library.replaced import mark_of
from media_library.upload_pictures import Box, draw
from sites.attributes import REGISTRY
from sites.models import Site
from sites.storing import asking
from sites.upload_kinds import NEVER_TAKEN, SAME_TYPE, TAKEN_TYPES, UploadKind, UploadRules, rules_for, validate_content
from sites.watermark_checks import in_lane
from sites.watermarks import watermark_of

# Columns that an upload fills.
_KNOWN = (
    *("bytes", "sha256", "width", "height", "duration", "title", "alternative_text", "credit", "tags"),
    *("folder", "focal_x", "focal_y", "uploader", "uploaded_with_key"),
)
# Further types that are redrawn, where the site accepts pictures of the type that they get.
_REDRAWN_AS = {"heic": "jpg", "heif": "jpg", "avif": "avif"}
_PICTURES = TAKEN_TYPES - _REDRAWN_AS.keys() | {"jfif"}  # all are redrawn


def media_root_url(site_id: int) -> str:
    """Return the replacement of `@/` to show a file of the site: `/media/sites/1/`."""
    return f"{settings.MEDIA_URL}{SITE_FILES.folder}/{site_id}/"


def most_bytes(site: Site) -> int:
    return max(rules_for(site, kind).max_bytes for kind in UploadKind)


def media_url(row: MediaFile, *parameters: str) -> str:
    """Return the address of the file with these parameters, and with the mark of a replaced file."""
    query = "&".join(filter(None, [*parameters, mark_of(row.replaced_at)]))
    return media_root_url(row.site_id) + quote(row.path) + (f"?{query}" if query else "")


@dataclass(frozen=True, eq=False)
class Upload:
    """A file that a site accepts, before it is stored."""

    site: Site
    title: str
    files: dict[str, File]  # type: ignore[type-arg]  # by path: the file, and its smaller forms
    known: dict[str, Any]  # values of the row
    sent_sha256: str

    @property
    def names(self) -> list[str]:
        """The names in the storage."""
        return [name_of(self.site.pk, path) for path in self.files]

    def put(self) -> None:
        """Store the files, or none. Raises LimitReached, Unavailable, and OSError for a full disk."""
        try:
            for name, content in zip(self.names, self.files.values(), strict=True):
                asking(partial(default_storage.save, name, content))
        except BaseException:
            for name in self.names:
                with suppress(OSError, StorageBusy, StorageUnavailable):
                    media.remove(name)
            raise

    def row(self) -> MediaFile:
        path, file = next(iter(self.files.items()))
        actor = audit.current_actor(with_address=False)
        return MediaFile(
            site=self.site,
            path=path,
            kind=kind_of(path),
            bytes=file.size,
            title=self.title,
            uploader="" if actor.kind == AuditEntry.ActorKind.COMMAND else actor.name,
            uploaded_with_key=actor.key_name,
            **self.known,
        )


def name_of(site_id: int, path: str) -> str:
    return f"{SITE_FILES.folder}/{site_id}/{path}"


def keep(
    site: Site,
    kind: UploadKind,
    file: UploadedFile,  # type: ignore[type-arg]
    folder: Callable[[], MediaFolder | None] = lambda: None,
) -> MediaFile:
    """Store the file, then its row in the folder: after a crash between them, `sync_media` adds the row.

    Raises as `prepare` and `folder`, which is called for an accepted file.
    """
    upload = prepare(site, kind, file)
    row = upload.row()
    row.folder = folder()
    upload.put()
    with media.stored_for_rows() as stored:
        stored += upload.names
        insert(row)
        stored.clear()
    return row


def insert(row: MediaFile) -> None:
    """Insert the row, or change the one of sync_media, which may have found the file."""
    MediaFile.objects.bulk_create([row], update_conflicts=True, unique_fields=["site", "path"], update_fields=_KNOWN)


def prepare(site: Site, kind: UploadKind, file: UploadedFile) -> Upload:  # type: ignore[type-arg]
    """Check the file by the rules of the site; a picture is redrawn.

    Raises InvalidInput (`file_empty`, `type_not_taken`, `content_differs`, `not_a_picture`, `picture_too_large`,
    `animation_too_large`, and errors of `Watermark.put_on`: no picture is stored without its mark), TooLarge
    (`upload_too_large`), LimitReached and Unavailable (`storage_unavailable`).
    """
    rules, name = rules_for(site, kind), file.name or ""
    _require_taken(rules, kind, name, file.size or 0)
    if kind is UploadKind.IMAGE:
        return _prepare_picture(site, rules, file)
    extension = extension_of(name)
    validate_content(file, extension)
    path = rules.path_for(name, extension, clock.now())
    sha256 = media.digest(file.chunks())
    known: dict[str, Any] = {"sha256": sha256, "duration": duration_of(path, file.size or 0, partial(_part_of, file))}
    if (
        kind_of(path) is MediaKind.IMAGE and (file.size or 0) <= MAX_IN_MEMORY
    ):  # a site may take pictures unchanged, too
        file.seek(0)
        known["width"], known["height"] = in_lane(partial(size_of_picture, file.read()))
    return Upload(site, title_of(name), {path: file}, known, sha256)


def _part_of(file: UploadedFile, start: int, stop: int) -> bytes:  # type: ignore[type-arg]
    file.seek(start)
    return bytes(file.read(stop - start))


def prepare_by_type(site: Site, file: UploadedFile) -> Upload:  # type: ignore[type-arg]
    """Check the file by the rules of the site for its type. Raises as `prepare`."""
    return prepare(site, _kind_of(site, extension_of(file.name or "")), file)


def require_taken(site: Site, name: str, size: int) -> None:
    """Raise as `prepare_by_type` does for any file of this name and size, whatever its bytes are."""
    kind = _kind_of(site, extension_of(name))
    _require_taken(rules_for(site, kind), kind, name, size)


def _require_taken(rules: UploadRules, kind: UploadKind, name: str, size: int) -> None:
    if not size:
        raise InvalidInput("file_empty", "The file is empty.")
    most = min(rules.max_bytes, MAX_IN_MEMORY) if kind is UploadKind.IMAGE else rules.max_bytes
    if size > most:
        raise file_too_large(most)
    extension = extension_of(name)
    # The type of a picture shows when it is drawn.
    if kind is not UploadKind.IMAGE and (extension in NEVER_TAKEN or extension not in rules.extensions):
        raise _type_not_taken(rules)


def _kind_of(site: Site, extension: str) -> UploadKind:
    stored = SAME_TYPE.get(_REDRAWN_AS.get(extension, ""), set())
    if extension in _PICTURES or stored.intersection(rules_for(site, UploadKind.IMAGE).extensions):
        return UploadKind.IMAGE
    is_video = extension in rules_for(site, UploadKind.VIDEO).extensions
    return UploadKind.VIDEO if is_video else UploadKind.FILE


def _prepare_picture(site: Site, rules: UploadRules, file: UploadedFile) -> Upload:  # type: ignore[type-arg]
    file.seek(0)
    return drawn_upload(site, rules, file.name or "", file.read())


def drawn_upload(site: Site, rules: UploadRules, name: str, sent: bytes, box: Box | None = None) -> Upload:
    """Return the redrawn picture, or the part in the box, as an upload with this name. Raises as `prepare`."""
    limits = {"max_pixels": settings.CMS_PICTURE_MAX_PIXELS, "side": settings.CMS_PICTURE_SIDE}
    values = REGISTRY.values(site.settings)
    widths = [("small", values["photoSmallWidth"]), ("middle", values["photoMiddleWidth"])]
    mark = watermark_of(site.pk, values, clock.now())
    drawn = in_lane(partial(draw, sent, widths=widths, mark=mark, box=box, **limits))
    is_taken_bitmap = sent.startswith(b"BM") and "bmp" in rules.extensions
    if not SAME_TYPE[drawn.extension].intersection(rules.extensions) and not is_taken_bitmap:
        raise _type_not_taken(rules)
    path = rules.path_for(name, drawn.extension, clock.now())
    files: dict[str, File] = {path: ContentFile(drawn.data)}  # type: ignore[type-arg]
    files |= {smaller_path(path, name): ContentFile(data) for name, data in drawn.smaller.items()}
    known: dict[str, Any] = {"sha256": media.digest([drawn.data]), "width": drawn.width, "height": drawn.height}
    return Upload(site, title_of(name), files, known, known["sha256"] if box else media.digest([sent]))


def _type_not_taken(rules: UploadRules) -> InvalidInput:
    types = ", ".join(each for each in rules.extensions if each not in NEVER_TAKEN)
    return InvalidInput("type_not_taken", f"The site accepts only files of these types here: {types}.", types=types)


def file_too_large(max_bytes: int) -> TooLarge:
    size = f"{max_bytes // 1024} KB" if max_bytes < 1024 * 1024 else f"{max_bytes / 1024 / 1024:.1f} MB"
    return TooLarge("upload_too_large", f"The file is larger than {max_bytes} bytes.", size=size.replace(".0 ", " "))
