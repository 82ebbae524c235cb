"""Requests with ids that contents had in SiteServer."""

from collections.abc import Collection, Mapping
from typing import Any

from contents.former_ids import Place, current_ids
from core.lib.errors import NotFound
from core.rest.errors import ImmediateResponse
from core.rest.views import ApiView


class Renumbered(Exception):
    """Contents of the request have other ids here."""

    def __init__(self, ids: Mapping[Place, int]) -> None:
        super().__init__()
        self.ids = ids


class FormerIdsView(ApiView):
    """Base of views that take ids of contents: if contents are missing, the request is handled again with `ids`.

    It costs nothing as long as all are found.
    """

    ids: Mapping[Place, int] = {}

    def start_again_if_renumbered(self, site_id: int, missing: Collection[Place]) -> None:
        """Raise Renumbered if one of the missing contents has another id here; once for each request."""
        if not self.ids and (ids := current_ids(site_id, missing)):
            raise Renumbered(ids)

    def handle_exception(self, error: Exception) -> Any:
        try:
            if self._is_renumbered(error):
                return self.call_method(self.request, **self.kwargs)
        except ImmediateResponse as ready:
            return ready.answer()
        except Exception as other:  # noqa: BLE001 - every exception becomes a response
            return super().handle_exception(other)
        return super().handle_exception(error)

    def _is_renumbered(self, error: Exception) -> bool:
        if isinstance(error, Renumbered):
            self.ids = error.ids
            return True
        place = self.kwargs
        if not isinstance(error, NotFound) or error.code != "content_not_found" or "content_id" not in place:
            return False
        sent = place["channel_id"], place["content_id"]
        current = current_ids(place["site_id"], [sent]).get(sent)
        if current is not None:
            self.kwargs = place | {"content_id": current}
        return current is not None
