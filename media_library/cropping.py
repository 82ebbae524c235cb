"""A part of a picture of the library: as another file, or at the address of the picture."""

from collections.abc import Callable
from functools import partial

from django.db import transaction

from core.admin.places import EVERYWHERE, Places
from core.archive import media
from core.lib.errors import InvalidInput
from core.lib.media_storage import extension_of
from core.rest.preconditions import Precondition
from media_library.branches import is_own_folder
from media_library.changes import Replacement, hold, require_same_type
from media_library.creation import Created, Result, create_files
from media_library.folders import upload_folder
from media_library.models import MediaFile
from media_library.reading import MAX_IN_MEMORY
from media_library.upload_pictures import Box
from media_library.uploads import Upload, drawn_upload, file_too_large, name_of
from sites.storing import asking
from sites.upload_kinds import UploadKind, rules_for

_COPIED = ("title", "alternative_text", "credit", "tags", "folder_id")


def copy_part(row: MediaFile, box: Box, precondition: Precondition, places: Places = EVERYWHERE) -> Created:
    """Store the part as another file with the texts of the picture, and in its folder if the places cover it.

    Raises as `replace_by_part`.
    """
    upload = _cut(row, box, precondition)
    values = {name: getattr(row, name) for name in _COPIED} | _focus(row, box)
    if not is_own_folder(row.site_id, row.folder_id or 0, places):
        values["folder_id"] = upload_folder(row.site_id, places).pk

    def store(insert: Callable[[], list[Result]]) -> list[Result]:
        with transaction.atomic():
            hold(row.site_id, row.pk, precondition)
            return insert()

    created: Created
    (created,) = create_files([upload], values, is_copy=False, store=store, places=places)
    return created


def replace_by_part(row: MediaFile, box: Box, precondition: Precondition) -> MediaFile:
    """Put the part at the address of the picture.

    Raises NotFound, InvalidInput (`crop_outside`, `animation_not_cropped`, `media_file_missing`), errors of the
    precondition, and errors of `prepare` and `Replacement`.
    """
    upload = _cut(row, box, precondition)
    require_same_type(row, upload)
    with Replacement(upload) as replacement:
        return replacement.apply(row.pk, precondition, **_focus(row, box))


def _cut(row: MediaFile, box: Box, precondition: Precondition) -> Upload:
    precondition(row)  # drawing takes long
    name = name_of(row.site_id, row.path)
    try:
        size = asking(partial(media.size_of, name))
        if size > MAX_IN_MEMORY:
            raise file_too_large(MAX_IN_MEMORY)
        data = asking(lambda: b"".join(media.pieces_of(name, size)))
    except FileNotFoundError as error:
        message = f"The storage has lost the file {row.path}."
        raise InvalidInput("media_file_missing", message, path=row.path) from error
    rules = rules_for(row.site, UploadKind.IMAGE)
    return drawn_upload(row.site, rules, f"{row.title or row.name}.{extension_of(row.path)}", data, box)


def _focus(row: MediaFile, box: Box) -> dict[str, float | None]:
    """Return the focal point as fractions of the part; none if it lies outside."""
    if row.focal_x is None or row.focal_y is None or not row.width or not row.height:
        return {"focal_x": None, "focal_y": None}
    x, y = (row.focal_x * row.width - box.x) / box.width, (row.focal_y * row.height - box.y) / box.height
    is_inside = 0 <= x <= 1 and 0 <= y <= 1
    return {"focal_x": x if is_inside else None, "focal_y": y if is_inside else None}
