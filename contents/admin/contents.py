"""Contents in the back end; those in the trash are shown by contents.admin.trash.pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from channels_app.admin.website import WebsitePages
from contents.admin.actions.pages import ActingContentPages
from contents.admin.list.pages import ContentLists
from contents.admin.table_pages import ContentTables
from contents.admin.writing.pages import ContentWriting
from contents.lists.one import read_content
from contents.models import Content


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
