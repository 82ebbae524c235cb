from core.openapi.describing import Body, Codes, Described, Parameter, Schema, list_of, record, ref, value_of
from core.openapi.schemas import ID, number, sent
from media_library.api.folders import FolderSerializer
from media_library.branches import MAX_DEPTH
from media_library.folders import MAX_FOLDERS

_TAG = "Media"
_SITE_ID = Parameter("siteId", "Id of the site.", ID | {"minimum": 1}, "path")
_ID = Parameter("id", "Id of the folder.", ID | {"minimum": 1}, "path")
_NONE: Codes = {404: ("media_folder_not_found", "site_not_found")}
_PLACES = (
    "channel_not_found",
    "media_folder_name_taken",
    "media_folder_name_unfit",
    "media_folder_not_found",
    "media_folder_place",
    "media_folder_too_deep",
)

SCHEMAS: dict[str, Schema] = {
    "MediaFolder": record(
        {
            "id": number("Id of the folder."),
            "siteId": number("Id of its site."),
            "name": {"type": "string", "description": "Name, unlike others in the same folder."},
            "parentId": number("Id of the folder above; 0: none."),
            "channelId": number("Id of the channel whose branch it belongs to; 0: that of the folder above, or none."),
        }
    ),
    "NewMediaFolder": sent(FolderSerializer, require=["name"]),
    "MediaFolderChanges": sent(FolderSerializer, is_change=True),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/media/{siteId}/folders",
        id="listMediaFolders",
        tag=_TAG,
        description="Lists the folders of the library, each after the folder that it is in. They are independent of "
        "the folders of the storage.",
        success="All folders.",
        answer=value_of(list_of(ref("MediaFolder")), f"The folders, at most {MAX_FOLDERS}."),
        parameters=(_SITE_ID,),
        codes={404: ("site_not_found",)},
    ),
    Described(
        method="POST",
        path="/media/{siteId}/folders",
        id="createMediaFolder",
        tag=_TAG,
        description=f"Creates a folder of the library. Folders can be nested to a depth of {MAX_DEPTH}.",
        success="The folder.",
        answer=value_of(ref("MediaFolder"), "The folder that was created."),
        parameters=(_SITE_ID,),
        body=Body(schema=ref("NewMediaFolder"), description="Name and place of the folder."),
        codes={400: ("missing_member", *_PLACES, "too_many_media_folders"), 404: ("site_not_found",)},
    ),
    Described(
        method="GET",
        path="/media/{siteId}/folders/{id}",
        id="getMediaFolder",
        tag=_TAG,
        description="Returns one folder of the library of a site.",
        success="The folder.",
        answer=value_of(ref("MediaFolder"), "The folder with that id."),
        parameters=(_SITE_ID, _ID),
        codes=_NONE,
    ),
    Described(
        method="PUT",
        path="/media/{siteId}/folders/{id}",
        id="updateMediaFolder",
        tag=_TAG,
        description="Renames a folder, moves it with everything in it, or changes its channel.",
        success="The folder after the change.",
        answer=value_of(ref("MediaFolder"), "The folder after the change."),
        parameters=(_SITE_ID, _ID),
        body=Body(
            schema=ref("MediaFolderChanges"), description="The members to change, possibly none.", is_required=False
        ),
        codes={400: _PLACES, **_NONE},
    ),
    Described(
        method="DELETE",
        path="/media/{siteId}/folders/{id}",
        id="deleteMediaFolder",
        tag=_TAG,
        description="Deletes a folder without folders in it. Its files go to the folder above, or to none.",
        success="The folder that was deleted.",
        answer=value_of(ref("MediaFolder"), "The folder that was deleted."),
        parameters=(_SITE_ID, _ID),
        codes={400: ("media_folder_not_empty",), **_NONE},
    ),
)
