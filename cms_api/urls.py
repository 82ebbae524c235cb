from django.contrib import admin
from django.urls import include, path, re_path, register_converter

from cms_api.views import PingView
from core.admin import large_forms
from core.lib.media_storage import FOLDER, SITE_FILES
from core.openapi.views import DocumentView
from core.rest import aliases
from core.rest.fields import IdConverter
from core.rest.views import route_not_found
from core.uploads import media

handler400, handler403 = "cms_api.views.bad_request", "cms_api.views.permission_denied"
handler404, handler500 = "cms_api.views.page_not_found", "cms_api.views.server_error"
register_converter(IdConverter, "id")  # before including the apps' patterns, which use it

# Matched in order: the most requested come first.
resources = [
    path("api/v1/", include("contents.urls")),
    path("api/v1/", include("channels_app.urls")),
    path("api/v1/", include("sites.urls")),
    path("api/v1/", include("media_library.urls")),
    path("api/v1/", include("accounts.urls")),
    path("api/v1/", include("webhooks.urls")),
    path("api/v1/", include("forms.api.urls")),
]
urlpatterns = [
    path("api/v1/ping", PingView.as_view()),
    path("api/v1/openapi.json", DocumentView.as_view()),
    *resources,
    path("api/v1/", include("events.urls")),
    path("api/v1/", include("cms_api.sql_endpoint.urls")),
    path("api/v1/", include("core.operation.urls")),
    path("api/v1/", include(aliases.patterns(resources))),
    path("api/", include("forms.urls")),
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
