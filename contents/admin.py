"""Contents in the back end; those in the trash are shown by contents.trash_pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from channels_app.desk.website import WebsitePages
from contents import trash_pages
from contents.desk import change_pages, name_pages, start
from contents.desk.acting_pages import ActingContentPages
from contents.desk.list_pages import ContentLists
from contents.desk.table_pages import ContentTables
from contents.desk.writing.pages import ContentWriting
from contents.models import Content
from contents.reading import read_content


@admin.register(Content)
class ContentAdmin(ContentWriting, ContentTables, ContentLists, WebsitePages, ActingContentPages):
    """The pages of contents: each class before the last adds one thing that editors do."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Contents that are not in the trash."""
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(trashed_at=None)

    def address_on_website(self, record: Content) -> str:
        """Where the content's page is, or where its link leads."""
        return str(read_content(record.site_id, record.channel_id, record.pk)["navigationUrl"])

    def is_on_website(self, record: Content) -> bool:
        """Whether it is approved, on a website that is known."""
        return record.is_checked and super().is_on_website(record)


# The other pages, and the panels of the start page, are registered by their modules.
__all__ = ["ContentAdmin", "change_pages", "name_pages", "start", "trash_pages"]
