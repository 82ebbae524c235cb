"""What the form of a content calls while somebody writes: uploads, the preview, the stored version, custom fields."""

from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from contents.admin.base import ContentPages
from contents.admin.writing import field_pages, preview, upload_view
from contents.admin.writing.conflict import last_saved
from contents.models import Content


class CalledByForm(ContentPages):
    """The addresses besides the form's own."""

    def get_urls(self) -> list[URLPattern]:
        """The pages of contents, and what the form of one calls."""
        name, guarded = f"{self.opts.app_label}_{self.opts.model_name}", self.admin_site.admin_view
        own = [
            path("upload/<int:site_id>/", upload_view.view_of(self), name=f"{name}_upload"),
            path("preview/<int:site_id>/", guarded(self.preview_view), name=f"{name}_preview"),
            path("<int:pk>/version/", self.version_view, name=f"{name}_version"),
            path("fields/<int:site_id>/", guarded(self.fields_view), name=f"{name}_fields"),
        ]
        return [*own, *super().get_urls()]

    def may_write_in(self, request: HttpRequest, site_id: int) -> bool:
        """Whether the administrator writes contents of the site, new ones or those that are there."""
        sites = sites_of(request.user)
        may = self.allows(request, "add") or self.allows(request, "change")
        return may and (sites is None or site_id in sites)

    def preview_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """What has been typed, as a page that can do nothing; nothing is kept."""
        if not self.may_write_in(request, site_id):
            raise Http404
        return preview.answer(request, site_id)

    def version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Which version the content has, who has made it and when."""
        if not self.admin_site.has_permission(request):
            return JsonResponse({"message": _("Your session has ended.")}, status=401)
        content = self._content(request, str(pk))
        if content is None or not self.has_view_permission(request, content):
            return JsonResponse({"message": _("The content is not there any more.")}, status=404)
        user_name, at = last_saved(content)
        told = {"version": content.version, "user_name": user_name, "at": at.isoformat(" ", "seconds")}
        return JsonResponse(told)

    def fields_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """The custom fields of a site, for whoever may change its settings."""
        return field_pages.answer(self, request, site_id)

    def _content(self, request: HttpRequest, object_id: str) -> Content | None:
        number = read_number(unquote(object_id))
        rows = self.get_queryset(request).defer(None).select_related("channel", "site")
        return rows.filter(pk=number).first() if number else None
