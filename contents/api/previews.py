"""Previews: a key makes a token, which is the only right that the others need."""

from datetime import timedelta

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from contents.admin.preview import show_in_page
from contents.api.former_ids import FormerIdsView
from contents.services.previews import SECONDS, Maker, content_for, page_address, read_token, record_for, share
from contents.storing.locking import read_whole
from core.lib import clock
from core.rest.views import OpenView
from sites.models import Site

_HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}


class NewPreviewView(FormerIdsView):
    """`POST /contents/{siteId}/{channelId}/{id}/preview`"""

    required_scope = "Contents"

    def post(self, request: Request, site_id: int, channel_id: int, content_id: int) -> Response:
        content = read_whole(site_id, content_id, channel_id)
        token = share(content, Maker(*self.grant.token_reference))
        return Response(
            {
                "token": token.sign(),
                "url": page_address(Site.objects.get(pk=site_id), content, token),
                "endsAt": clock.steady(timedelta(seconds=SECONDS)).isoformat(" ", "seconds"),
            }
        )


class PreviewView(OpenView):
    """`GET /previews/{token}`"""

    def get(self, request: Request, token: str) -> Response:
        return Response(record_for(read_token(token)), headers=_HEADERS)


class PreviewPageView(OpenView):
    """`GET /previews/{token}/page`"""

    def get(self, request: Request, token: str) -> HttpResponse:
        response = show_in_page(request._request, content_for(read_token(token)))
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return response
