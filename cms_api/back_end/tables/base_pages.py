"""What pages of exports and of imports have in common."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from cms_api.back_end.tables.columns import Column


class TableBase:
    """Pages about tables, beside those of the records."""

    admin_site: Any
    opts: Any

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """All columns that a table may have."""
        raise NotImplementedError

    def _address(self, view: str, *arguments: Any) -> str:
        return reverse(f"admin:{self._view_name(view)}", args=arguments)

    def _view_name(self, view: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{view}"

    def _table_page(self, request: HttpRequest, template: str, title: str, context: dict[str, Any]) -> HttpResponse:
        own = {"title": title, "opts": self.opts, "list_address": self._address("changelist")}
        page = f"back_end/tables/{template}.html"
        return TemplateResponse(request, page, self.admin_site.each_context(request) | own | context)
