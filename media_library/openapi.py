from core.openapi.describing import (
    PAGE_ADDRESSES,
    Body,
    Codes,
    Described,
    Link,
    Parameter,
    Schema,
    list_of,
    nullable,
    record,
    ref,
    value_of,
)
from core.openapi.limits import default_of, limit_words
from core.openapi.schemas import ASKED_DATE, ASKED_FLAG, ASKED_ID, COUNT, FLAG, ID, TEXT, date, number, one_of, sent
from media_library.api.query import MAX_WORDS
from media_library.api.serializers import FileSerializer, MediaChangesSerializer, MediaTextsSerializer
from media_library.kinds import MediaKind
from media_library.models import UseSource
from media_library.renditions.requested import AUTO, BEST, FITS, FORMATS, MAX_SIDE, QUALITY

TAG = "Media"
_SITE_ID = Parameter("siteId", "Id of the site.", ID | {"minimum": 1}, "path")
_ID = Parameter("id", "Id of the file.", ID | {"minimum": 1}, "path")
_NO_SITE: Codes = {404: ("site_not_found",)}
_NONE: Codes = {404: ("media_not_found", "site_not_found")}
_STORAGE: Codes = {429: ("storage_busy",), 503: ("storage_unavailable",)}
_KIND = one_of(*MediaKind.values)
_FRACTION: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_POINT = record(
    {
        "x": _FRACTION | {"description": "Fraction of the width, from the left."},
        "y": _FRACTION | {"description": "Fraction of the height, from the top."},
    }
)
_ASKED_SIDE = ID | {"minimum": 1, "maximum": MAX_SIDE}
_SIDE: Schema = {"type": ["integer", "null"], "format": "int32", "minimum": 1}
_MEDIA = record(
    {
        "id": number("Id of the file."),
        "siteId": number("Id of its site."),
        "url": {"type": "string", "description": "URL at which pages show it, as in contents."},
        "address": {"type": "string", "description": "Address for contents, such as @/upload/images/2026/11/a.jpg."},
        "name": {"type": "string", "description": "Last part of the path."},
        "path": {"type": "string", "description": "Path below the folder of the site."},
        "kind": _KIND | {"description": "Kind of the file, by its type."},
        "contentType": {"type": "string", "description": "Content type that the service sends."},
        "size": ID | {"minimum": 0, "description": "Bytes as stored; pictures are redrawn."},
        "sha256": {
            "type": "string",
            "pattern": "^([0-9a-f]{64})?$",
            "description": "SHA-256 of the stored bytes; empty until the service has read an imported file.",
        },
        "width": _SIDE | {"description": "Width in pixels; null if unknown."},
        "height": _SIDE | {"description": "Height in pixels; null if unknown."},
        "duration": {
            "type": ["number", "null"],
            "format": "double",
            "description": "Length in seconds; null if unknown.",
        },
        "title": {"type": "string", "description": "Title, at first the name of the uploaded file."},
        "alternativeText": {"type": "string", "description": "What a picture shows; empty if it has no description."},
        "credit": {"type": "string", "description": "Author or source of the file."},
        "focalPoint": nullable(ref("FocalPoint")) | {"description": "Point that a cut picture keeps; null: none."},
        "tags": {"type": "string", "description": "Names of its tags, comma-separated."},
        "folderId": number("Id of the folder of the library; 0: none."),
        "uploader": {"type": "string", "description": "User name of the uploader; empty for imported files."},
        "createdDate": date("Time of the upload."),
        "lastModifiedDate": date("Time of the last change."),
    }
)
_FOCAL_POINT = {
    "focalPoint": nullable(ref("FocalPoint"))
    | {"description": "Point that a cut picture keeps, as fractions of width and height; null: none. Default: null."}
}
_CHANGED_POINT = {
    "focalPoint": nullable(ref("FocalPoint"))
    | {
        "description": "Point that a cut picture keeps, as fractions of width and height; null: none. Default: "
        "unchanged."
    }
}
_FILE = sent(FileSerializer)["properties"]
_FILE["content"] = _FILE["content"] | {"contentEncoding": "base64"}
_TEXTS = sent(MediaTextsSerializer)["properties"]
_TEXTS_OF_FORM = sent(MediaTextsSerializer, require=_TEXTS)["properties"]  # a form has no null
_IS_EXISTING = FLAG | {"description": "True if the site had the file, which is returned unchanged."}


def _form(several: bool) -> Schema:
    # OpenAPI 3.0 style, which client generators recognize as a file.
    file: Schema = {"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"}
    words = (
        "Files, any number of them, under any names of parts."
        if several
        else "The new file, under any name of the part, of any size up to the limit of the site."
    )
    shown = list_of(file) if several else file
    properties = {"file": shown | {"description": words}} | (_TEXTS_OF_FORM if several else {})
    return {"type": "object", "required": ["file"], "properties": properties}


def _pages(things: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "top",
            f"Maximum number of {things}, up to {limit_words('CMS_MAX_PER_PAGE')}; less than 1 counts as 20. "
            "Default: 20.",
            ASKED_ID | {"maximum": default_of("CMS_MAX_PER_PAGE")},
        ),
        Parameter("skip", f"Number of {things} to skip; negative counts as 0. Default: 0.", ASKED_ID),
        Parameter(
            "cursor",
            "Replaces skip: empty for the first page, then nextCursor of the previous response. Default: pages by "
            "number.",
            TEXT,
        ),
    )


def _page_members(things: str) -> dict[str, Schema]:
    return {
        "count": ID | {"minimum": 0, "description": f"Number of {things}. Only without a cursor."},
        **PAGE_ADDRESSES,
        "nextCursor": {
            "type": ["string", "null"],
            "description": "`cursor` for the next page, null on the last. Only if a cursor was sent.",
        },
    }


SCHEMAS: dict[str, Schema] = {
    "Media": _MEDIA,
    "FocalPoint": _POINT,
    "MediaUse": record(
        {
            "source": one_of(*UseSource.values) | {"description": "Text that has the address of the file."},
            "id": number("Id of the content, channel, template or site."),
            "channelId": nullable(ID) | {"description": "Id of the content's channel; null for other records."},
        }
    ),
    "MediaFile": {"type": "object", "properties": _FILE},
    "NewMedia": {"type": "object", "properties": _FILE | _TEXTS | _FOCAL_POINT},
    "MediaChanges": sent(MediaChangesSerializer, is_change=True, further=_CHANGED_POINT),
    "Rendition": record(
        {
            "address": {"type": "string", "description": "Address for contents, such as @/upload/a.jpg?w=333&s=…"},
            "url": {"type": "string", "description": "URL at which pages show it."},
        }
    ),
    "MediaResult": record(
        {
            "status": COUNT | {"description": "Status that the file would have had alone."},
            "file": ref("Media") | {"description": "The record, unless there is an error."},
            "isExisting": _IS_EXISTING,
            "error": ref("Error") | {"description": "The error that the file alone would have had."},
        },
        required=["status"],
    ),
}
_UPLOADS: Codes = {
    400: (
        "address_refused",
        "animation_too_large",
        "content_differs",
        "file_empty",
        "file_expected",
        "not_a_picture",
        "picture_too_large",
        "source_unreadable",
        "too_many_entries",
        "type_not_taken",
        "url_invalid",
        "watermark_font_missing",
        "watermark_missing",
        "watermark_unreadable",
        "watermark_unwritable",
    ),
    413: ("upload_too_large",),
    429: ("busy", "pictures_busy", "storage_busy"),
    503: ("storage_unavailable",),
}
_RULES = (
    "The site's settings define types and sizes, as for uploads in the admin. A body in JSON has at most 1 MiB, a form "
    f"{limit_words('CMS_MAX_BODY_BYTES')} bytes. The service fetches sourceUrl from public addresses only, with at "
    "most 3 redirects, within 20 seconds."
)
_RESUMABLE = "Larger files can come in portions to `/media/{siteId}/uploads`, by the protocol tus 1.0."
_SAME = {"siteId": "$response.body#/value/siteId", "id": "$response.body#/value/id"}

OPERATIONS = (
    Described(
        method="GET",
        path="/media/{siteId}",
        id="listMedia",
        tag=TAG,
        description="Lists the files of a site that match all filters, newest first, in pages by number or by cursor.",
        success="The files of the page, with the total and URLs of other pages, or with the next cursor.",
        answer=record(
            {
                "value": list_of(ref("Media")) | {"description": "The files of the page."},
                **_page_members("matching files"),
            },
            required=["value"],
        ),
        parameters=(
            _SITE_ID,
            Parameter("kind", "Only files of this kind. Default: any.", _KIND),
            Parameter("folder", "Only files in the folder with this id; 0: in none. Default: any.", ASKED_ID),
            Parameter(
                "text",
                f"Up to {MAX_WORDS} words, all of which occur in the title, path, alternative text, credit or tags: as "
                "the beginning of a word, regardless of letter case and accents; Chinese anywhere. Default: none.",
                TEXT,
            ),
            Parameter(
                "withoutAlternativeText",
                "true: only pictures without an alternative text; false: only files with one. Default: any.",
                ASKED_FLAG,
            ),
            Parameter("uploader", "Only files of the uploader with this user name. Default: any.", TEXT),
            Parameter("from", "Uploaded at this time or later, such as 2026-11-20. Default: any.", ASKED_DATE),
            Parameter(
                "to", "Uploaded at this time or earlier; a date alone includes that day. Default: any.", ASKED_DATE
            ),
            *_pages("files"),
        ),
        codes={
            400: ("duplicate_member", "invalid_cursor", "invalid_value", "page_too_large", "query_too_slow"),
            **_NO_SITE,
        },
    ),
    Described(
        method="POST",
        path="/media/{siteId}",
        id="createMedia",
        tag=TAG,
        description="Stores files: those of a form (multipart/form-data), or one in JSON, as Base64 or from an "
        f"address. {_RULES} A file of the same bytes as one of the site, as sent or as stored, is not stored again "
        f"unless copy is true. A form with several files gets a result for each. {_RESUMABLE}",
        success="The file with isExisting, or of several files the results in their order.",
        answer=record(
            {
                "value": ref("Media") | {"description": "The file, if one was sent."},
                "isExisting": _IS_EXISTING,
                "results": list_of(ref("MediaResult")) | {"description": "Results, if several files were sent."},
            },
            required=[],
        ),
        parameters=(
            _SITE_ID,
            Parameter("copy", "true: stores the file even if the site has the same bytes. Default: false.", ASKED_FLAG),
        ),
        body=Body(
            schema=ref("NewMedia"),
            description="A file, and members of its record; or a form with files, whose texts apply to each of them.",
            form=_form(several=True),
        ),
        codes={**_UPLOADS, 400: (*_UPLOADS[400], "media_folder_not_found"), **_NO_SITE},
        links=(
            Link("getMedia", _SAME, "Read the record by id."),
            Link("updateMedia", _SAME, "Change the record by id."),
            Link("deleteMedia", _SAME, "Delete the file by id."),
            Link("replaceMedia", _SAME, "Replace the bytes by id."),
            Link("getRendition", _SAME, "Get an address of the picture in another size by id."),
        ),
    ),
    Described(
        method="GET",
        path="/media/{siteId}/{id}",
        id="getMedia",
        tag=TAG,
        description="Returns the record of a file that is not in the trash.",
        success="The record.",
        answer=value_of(ref("Media"), "The file with that id."),
        parameters=(_SITE_ID, _ID),
        codes=_NONE,
    ),
    Described(
        method="PUT",
        path="/media/{siteId}/{id}",
        id="updateMedia",
        tag=TAG,
        description="Changes the members of the record that are sent.",
        success="The record after the change.",
        answer=value_of(ref("Media"), "The file after the change."),
        parameters=(_SITE_ID, _ID),
        body=Body(schema=ref("MediaChanges"), description="The members to change, possibly none.", is_required=False),
        codes={400: ("media_folder_not_found",), **_NONE},
    ),
    Described(
        method="DELETE",
        path="/media/{siteId}/{id}",
        id="deleteMedia",
        tag=TAG,
        description="Moves a file to the trash for CMS_TRASH_DAYS; its address is 404 from then on.",
        success="The file that was deleted.",
        answer=value_of(ref("Media"), "The file that was deleted."),
        parameters=(_SITE_ID, _ID),
        codes={**_NONE, **_STORAGE},
    ),
    Described(
        method="POST",
        path="/media/{siteId}/{id}/file",
        id="replaceMedia",
        tag=TAG,
        description=f"Replaces the bytes at the same address by a file of the same type. {_RULES}",
        success="The record after the change.",
        answer=value_of(ref("Media"), "The file after the change."),
        parameters=(_SITE_ID, _ID),
        body=Body(
            schema=ref("MediaFile"),
            description="The new file, in JSON or as the only file of a form.",
            form=_form(several=False),
        ),
        codes={**_UPLOADS, 400: (*_UPLOADS[400], "media_type_differs", "one_file_expected"), **_NONE},
    ),
    Described(
        method="GET",
        path="/media/{siteId}/{id}/rendition",
        id="getRendition",
        tag=TAG,
        description="Returns the address of a picture in another size or format, signed so that it shows sizes and "
        "qualities that addresses without a signature may not have. It draws nothing: the first request of the "
        "address does. A signature is valid for this path and these parameters, until the service gets another "
        "CMS_SECRET_KEY.",
        success="The signed address.",
        answer=value_of(ref("Rendition"), "The signed address of the picture."),
        parameters=(
            _SITE_ID,
            _ID,
            Parameter("w", "Largest width in pixels. Default: no limit.", _ASKED_SIDE),
            Parameter("h", "Largest height in pixels. Default: no limit.", _ASKED_SIDE),
            Parameter(
                "fit",
                "With w and h: contain shows the whole picture within them, cover cuts it to exactly them around the "
                f"focal point. Default: {FITS[0]}.",
                one_of(*FITS),
            ),
            Parameter(
                "format",
                "auto: the best that the request of the picture accepts. Default: that of the original.",
                one_of(AUTO, *FORMATS),
            ),
            Parameter("q", f"Quality of the compression. Default: {QUALITY}.", ID | {"minimum": 1, "maximum": BEST}),
        ),
        codes={
            400: ("duplicate_member", "invalid_value", "not_a_picture", "rendition_refused"),
            **_NONE,
        },
    ),
    Described(
        method="GET",
        path="/media/{siteId}/{id}/uses",
        id="listMediaUses",
        tag=TAG,
        description="Lists the contents, channels, templates and settings of sites that have the address of a file in "
        "their texts, including records in the trash, in pages by number or by cursor.",
        success="The uses of the page, with the total and URLs of other pages, or with the next cursor.",
        answer=record(
            {
                "value": list_of(ref("MediaUse")) | {"description": "The uses, by source and id."},
                **_page_members("uses"),
                "isComplete": FLAG | {"description": "False while the service still searches texts for uses."},
            },
            required=["isComplete", "value"],
        ),
        parameters=(_SITE_ID, _ID, *_pages("uses")),
        codes={
            400: ("duplicate_member", "invalid_cursor", "invalid_value", "page_too_large", "query_too_slow"),
            **_NONE,
        },
    ),
)
