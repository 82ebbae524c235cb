from django.contrib import admin
from django.urls import include, path, re_path, register_converter

from cms_api.admin import large_forms
from cms_api.lib.media_storage import FOLDER, SITE_FILES
from cms_api.openapi.views import DocumentView
from cms_api.rest import aliases
from cms_api.rest.fields import IdConverter
from cms_api.rest.views import route_not_found
from cms_api.uploads import media
from cms_api.views import PingView

handler400, handler403 = "cms_api.views.bad_request", "cms_api.views.permission_denied"
handler404, handler500 = "cms_api.views.page_not_found", "cms_api.views.server_error"
register_converter(IdConverter, "id")  # before including the apps' patterns, which use it

# Matched in order: the most requested come first.
resources = [
    path("api/v1/", include("contents.urls")),
    path("api/v1/", include("channels_app.urls")),
    path("api/v1/", include("sites.urls")),
    path("api/v1/", include("accounts.urls")),
    path("api/v1/", include("webhooks.urls")),
]
urlpatterns = [
    path("api/v1/ping", PingView.as_view()),
    path("api/v1/openapi.json", DocumentView.as_view()),
    *resources,
    path("api/v1/", include("events.urls")),
    path("api/v1/", include("cms_api.sql_endpoint.urls")),
    path("api/v1/", include("cms_api.operation.urls")),
    path("api/v1/", include(aliases.patterns(resources))),
    path("", include("cms_api.start_page.urls")),
    re_path("^api(?:/|$)", route_not_found),
    re_path(rf"^{FOLDER}{SITE_FILES.folder}/(?P<path>[\s\S]+)\Z", media.serve_of_site),
    re_path(rf"^{FOLDER}(?P<path>[\s\S]*)\Z", media.serve),
    path("admin/signed-in/", large_forms.signed_in),
    path("admin/forgotten-password/", include("accounts.admin.password_reset")),
    path("admin/", include("accounts.admin.account")),
    path("admin/", admin.site.urls),
    # Last: files of sites at their own web addresses, never below a folder of the service.
    path("", include("sites.file_urls")),
]
