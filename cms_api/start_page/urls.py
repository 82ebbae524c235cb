"""Addresses of the pages for newcomers; to be included before everything that takes what is left over."""

from django.urls import path, re_path

from cms_api.admin.middleware import DOCUMENTATION
from cms_api.start_page import documentation, explorer, start

urlpatterns = [
    path("", start.show, name="start"),
    path("api/docs/", explorer.show, name="explorer"),
    path("api/docs", explorer.show),
    re_path(rf"^{DOCUMENTATION.strip('/')}(?P<path>(?:/[\s\S]*)?)\Z", documentation.serve, name="documentation"),
]
