"""The stable API reads; only the newer one, a preview in Wagtail 8.0, writes."""

from django.urls import include, path
from wagtail import urls
from wagtail.api.v2.router import WagtailAPIRouter
from wagtail.api.v2.views import PagesAPIViewSet
from wagtail.api.v3.urls import api

router = WagtailAPIRouter("wagtailapi")
router.register_endpoint("pages", PagesAPIViewSet)

urlpatterns = [path("api/v2/", router.urls), path("api/v3/", api.urls), path("", include(urls))]
