"""Where everything is found."""

from django.contrib import admin
from django.urls import include, path, re_path

from cms_api.rest.errors import route_not_found
from cms_api.views import PingView

urlpatterns = [
    path("api/v1/ping", PingView.as_view()),
    path("api/v1/", include("contents.urls")),
    re_path("^api(?:/|$)", route_not_found),
    path("admin/", admin.site.urls),
]
