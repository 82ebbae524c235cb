from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AuditSubject, MenuItem, PeriodicTask, SearchKind, StartCard
from search.sources import SearchSource

SUMMARIES = {
    ("GET", "/media/{siteId}"): _("lists the files of a site, newest first"),
    ("POST", "/media/{siteId}"): _("uploads files, or stores one from an address"),
    ("GET", "/media/{siteId}/folders"): _("lists the folders of the library"),
    ("POST", "/media/{siteId}/folders"): _("creates a folder"),
    ("GET", "/media/{siteId}/folders/{id}"): _("returns a folder"),
    ("PUT", "/media/{siteId}/folders/{id}"): _("renames or moves a folder, or changes its channel"),
    ("DELETE", "/media/{siteId}/folders/{id}"): _("deletes a folder, and keeps its files"),
    ("GET", "/media/{siteId}/{id}"): _("returns the record of a file"),
    ("PUT", "/media/{siteId}/{id}"): _("changes the members that are sent"),
    ("DELETE", "/media/{siteId}/{id}"): _("moves a file to the trash"),
    ("POST", "/media/{siteId}/{id}/file"): _("replaces the bytes of a file at the same address"),
    ("GET", "/media/{siteId}/{id}/rendition"): _("returns a signed address of a picture in any size"),
    ("GET", "/media/{siteId}/{id}/uses"): _("lists the records whose texts use a file"),
}

ERROR_MESSAGES = {
    "animation_not_cropped": _("Animated pictures cannot be cropped."),
    "crop_outside": _("The part must lie within the picture, which has %(width)d × %(height)d pixels."),
    "media_not_found": _("The file no longer exists."),
    "media_path_taken": _("Another file has the path %(path)s."),
    "media_file_missing": _("The storage has lost the file %(path)s."),
    "media_type_differs": _("The new file must have the type %(type)s, like the one that it replaces."),
    "media_folder_not_found": _("The folder no longer exists."),
    "media_folder_name_taken": _("There is a folder with this name already."),
    "media_folder_name_unfit": _("Enter a name of at most 255 characters."),
    "media_folder_not_empty": _("The folder contains other folders. Move or delete them first."),
    "media_folder_outside": _("The folder is outside of your branch of the site."),
    "media_files_leave": _("The files of the folder would leave your branch of the site. Move them first."),
    "media_folder_place": _("A folder cannot be moved into itself or a folder in it."),
    "media_folder_too_deep": _("Folders can be nested to a depth of %(count)d."),
    "too_many_media_folders": _("A site has at most %(count)d folders. Delete one first."),
}

SUBJECTS = {
    "media": AuditSubject(75, _("Media")),
}

ACTIONS = {
    "media.folder_created": _("Folder of media created"),
    "media.folder_changed": _("Folder of media changed"),
    "media.folder_deleted": _("Folder of media deleted"),
    "media.replaced": _("File replaced"),
    "media.trashed": _("File moved to the trash"),
    "media.restored": _("File restored from the trash"),
    "media.purged": _("File permanently deleted"),
}

MENU = {"media_library.MediaFile": MenuItem("site", 15, _("Media"), "media")}

CARDS = {
    "media_library.MediaFile": StartCard(
        15,
        "media",
        _("Media"),
        _("See the pictures, videos and other files of your sites."),
        _("Upload files, and find, describe and reuse those that are there."),
    ),
}

SEARCHES = {"media": SearchKind(30, _("Media"), "media", "media_library.admin.hits.files")}

SEARCH_SOURCES = {"media": SearchSource("media_library.MediaFile", "media_library.searching.entries")}

VARIANTS = {"media_library.renditions": "media_library.renditions.stored.variant"}

PERIODIC_TASKS = {
    "media_library.uses": PeriodicTask(5.0, "media_library.filling.fill_some"),
    "media_library.renditions": PeriodicTask(3600.0, "media_library.renditions.stored.purge_unused"),
    "media_library.uploads": PeriodicTask(3600.0, "media_library.resumable.purge"),
}
