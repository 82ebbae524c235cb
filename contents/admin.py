from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from cms_api.back_end.pages import RecordPages
from contents.models import Content


@admin.register(Content)
class ContentAdmin(RecordPages):
    site_lookup = "site_id"
    list_display = ["title", "id", "channel", "is_checked", "checked_level", "is_top", "add_date"]
    list_filter = ["site", "is_checked"]
    list_select_related = ["channel"]
    ordering = ["-id"]
    search_fields = ["title"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Content]:
        """Contents that are not in the trash."""
        return super().get_queryset(request).filter(trashed_at=None)
