from functools import partial
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.conditional import compare, keep, tag_of, use
from core.rest.fields import IntegerField, TextField
from core.rest.json import Body
from core.rest.serializers import WireSerializer
from core.rest.views import ApiView
from media_library.folders import (
    MAX_NAME,
    change_folder,
    create_folder,
    delete_folder,
    find_folder,
    folder_tree,
)
from media_library.models import MediaFolder
from sites.models import require_site


class FolderSerializer(WireSerializer):
    name = TextField(max_length=MAX_NAME, help_text="Name, unlike others in the same folder regardless of letter case.")
    parent_id = IntegerField(min_value=0, help_text="Id of the folder above; 0: none. Default: 0.")
    channel_id = IntegerField(
        min_value=0,
        help_text="Id of the channel whose branch the folder belongs to; 0: that of the folder above, or none. "
        "Default: 0.",
    )


class FoldersView(ApiView):
    """`/media/{siteId}/folders`"""

    required_scope = "Media"

    def get(self, request: Request, site_id: int) -> Response:
        require_site(site_id)
        records = [_record_of(folder) for folder in folder_tree(site_id)]
        compare(request, "media_folder", records, {})
        return Response(Body(value=records))

    def post(self, request: Request, site_id: int) -> Response:
        require_site(site_id)
        values = FolderSerializer.read(self.body, require=["name"]).values
        place = values.get("parent_id", 0), values.get("channel_id", 0)
        return Response(_record_of(create_folder(site_id, values["name"], *place)))

    def require_place(self, site_id: int) -> None:
        require_site(site_id)


class FolderView(ApiView):
    """`/media/{siteId}/folders/{id}`"""

    required_scope = "Media"

    def get(self, request: Request, site_id: int, folder_id: int) -> Response:
        tag, record = _represent(_find(site_id, folder_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, site_id: int, folder_id: int) -> Response:
        folder = _find(site_id, folder_id)  # 404 comes before the body
        values = FolderSerializer.read_change(self.body, partial(_record_of, folder)).values
        tag, record = _represent(change_folder(site_id, folder_id, values, self.if_match(_represent)))
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, site_id: int, folder_id: int) -> Response:
        require_site(site_id)
        return Response(_record_of(delete_folder(site_id, folder_id, self.if_match(_represent))))


def _find(site_id: int, folder_id: int) -> MediaFolder:
    require_site(site_id)
    return find_folder(site_id, folder_id)


def _record_of(folder: MediaFolder) -> dict[str, Any]:
    return {
        "id": folder.pk,
        "siteId": folder.site_id,
        "name": folder.name,
        "parentId": folder.parent_id or 0,
        "channelId": folder.channel_id or 0,
    }


def _represent(folder: MediaFolder) -> tuple[str, dict[str, Any]]:
    record = _record_of(folder)
    return tag_of("media_folder", record), record
