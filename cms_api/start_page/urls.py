from django.urls import path, re_path

from cms_api.start_page import documentation, views
from core.admin.middleware import DOCUMENTATION

urlpatterns = [
    path("start/", views.start, name="start"),
    path("", views.start),  # unless the root site has pages of its own
    path("api/docs/", views.explorer, name="explorer"),
    path("api/docs", views.explorer),
    re_path(rf"^{DOCUMENTATION.strip('/')}(?P<path>(?:/[\s\S]*)?)\Z", documentation.serve, name="documentation"),
]
