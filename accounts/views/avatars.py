"""Avatars of users."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import avatars, services
from accounts.models import User
from accounts.records import user_record
from accounts.views.users import OwnUserView
from cms_api.uploads.form import read_file

_NAMES = ("avatar_file", "avatar_url")


class AvatarView(OwnUserView):
    """`/users/{id}/avatar`: everybody may ask for its address (interface, open endpoints)."""

    def get_authenticators(self) -> list[Any]:
        """None for whoever only reads: a bad key does no harm there."""
        return [] if self._only_reads else super().get_authenticators()

    def check_permissions(self, request: Request) -> None:
        """Raises NotPermitted for whoever may not write."""
        if not self._only_reads:
            super().check_permissions(request)

    @property
    def _only_reads(self) -> bool:
        return self.request.method in self.read_methods

    stores_by_itself = True  # what is drawn and kept as a file comes before the change

    def get(self, request: Request, user_id: int) -> Response:
        """The absolute address; that of the default picture for a user without one and for an unknown id alike."""
        avatar_file, given_url = User.objects.filter(pk=user_id).values_list(*_NAMES).first() or ("", "")
        return Response(avatars.shown_url(avatar_file, given_url, request))

    def post(self, request: Request, user_id: int) -> Any:
        """The user's record with the address of the new avatar."""
        services.find(User, user_id)  # 404 comes before the body
        picture = read_file(request._request, max_bytes=settings.CMS_AVATAR_MAX_BYTES)

        def answer(switch: Callable[[], User]) -> Any:
            return self.store(lambda: Response(user_record(switch(), request)))

        return avatars.replace(user_id, picture, answer)

    def require_place(self, user_id: int) -> None:
        services.find(User, user_id)
