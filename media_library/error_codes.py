from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "animation_too_large",
        (400,),
        "The animation exceeds CMS_PICTURE_SIDE pixels on a side.",
        "Send a smaller one; animations are not scaled.",
    ),
    ErrorCode(
        "content_differs",
        (400,),
        "The bytes of the file do not fit the type in its name.",
        "Correct the name, or send another file.",
    ),
    ErrorCode(
        "media_folder_name_taken",
        (400,),
        "The folder above has a folder with this name, in any letter case.",
        "Choose another name.",
    ),
    ErrorCode(
        "media_folder_name_unfit",
        (400,),
        "The name of a folder is blank, or has characters that are not printable.",
        "Choose another name.",
    ),
    ErrorCode("media_folder_not_empty", (400,), "The folder contains other folders.", "Move or delete them first."),
    ErrorCode(
        "media_folder_not_found", (400, 404), "The site has no such folder of media.", "Use another, or 0 for none."
    ),
    ErrorCode(
        "media_folder_place", (400,), "The folder would be in itself, or in a folder in it.", "Choose another place."
    ),
    ErrorCode("media_folder_too_deep", (400,), "Folders would be nested too deeply.", "Choose another place."),
    ErrorCode("media_not_found", (404,), "The site has no such file; it may be deleted.", "List the files."),
    ErrorCode(
        "media_type_differs",
        (400,),
        "The new file has another type than the one that it replaces.",
        "Send a file of the same type, or create another file.",
    ),
    ErrorCode(
        "pictures_busy",
        (429,),
        "Too many pictures are being drawn.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "rendition_refused",
        (400,),
        "A picture has no rendition of these parameters; message says why.",
        "Correct the parameter.",
    ),
    ErrorCode(
        "source_unreadable",
        (400,),
        "The file at sourceUrl cannot be read; message says why.",
        "Try again later, or send the bytes.",
    ),
    ErrorCode("storage_busy", (429,), "The file storage is busy.", "Retry after Retry-After seconds."),
    ErrorCode("too_many_media_folders", (400,), "The site has the most folders of media.", "Delete one."),
    ErrorCode(
        "too_many_uploads",
        (429,),
        "The API key has too many unfinished uploads.",
        "Finish or end some of them; they expire after 24 hours.",
    ),
    ErrorCode(
        "tus_version_unsupported",
        (412,),
        "The request lacks Tus-Resumable, or it has another version than Tus-Version.",
        "Send Tus-Resumable: 1.0.0.",
    ),
    ErrorCode(
        "type_not_taken",
        (400,),
        "The site does not accept files of this type; types lists the accepted ones.",
        "Send another type, or change the settings of the site.",
    ),
    ErrorCode(
        "upload_checksum_differs",
        (460,),
        "The bytes do not have the checksum in Upload-Checksum; none of them were kept.",
        "Send them again.",
    ),
    ErrorCode(
        "upload_media_type",
        (415,),
        "Portions of a file need the content type application/offset+octet-stream.",
        "Correct Content-Type.",
    ),
    ErrorCode(
        "upload_not_found",
        (404,),
        "The API key has no such upload; it may have expired, or the site has refused the file.",
        "Create another upload.",
    ),
    ErrorCode(
        "upload_offset_differs",
        (409,),
        "Upload-Offset is not the number of bytes that have arrived.",
        "Read the number with HEAD, and continue there.",
    ),
    ErrorCode(
        "upload_too_large",
        (413,),
        "The file exceeds the limit of the site for its kind.",
        "Send a smaller file, or raise the limit in the settings of the site.",
    ),
    *(
        ErrorCode(f"watermark_{word}", (400,), f"The watermark of the site cannot be drawn: {reason}.", remedy)
        for word, reason, remedy in (
            ("font_missing", "no font of the server has its characters", "Change its text, or install a font."),
            ("missing", "the site does not have its picture", "Change it in the settings of the site."),
            ("unreadable", "its picture cannot be decoded or is too large", "Change it in the settings of the site."),
            ("unwritable", "its font cannot be used", "Change it in the settings of the site."),
        )
    ),
)
