"""The last change of a content as editors see it: of its draft, if that is later."""

from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from contents.admin.list.sources import ROW
from contents.models import Content

DATE = "last_edit_date"
# Contents with a later draft, which has an index by date; CROSS prevents SQLite from beginning with the contents.
LATER_DRAFTS = f"contents_contentdraft draft CROSS JOIN {ROW}"
IS_LATER = f"{ROW}.id = draft.content_id AND draft.edited_at > {ROW}.{DATE}"


def last_edit(table: str = ROW) -> str:
    # A scalar sub-query: the planner would turn a join into one of all rows.
    draft = f"SELECT draft.edited_at FROM contents_contentdraft draft WHERE draft.content_id = {table}.id"
    return f"COALESCE(({draft} AND draft.edited_at > {table}.{DATE}), {table}.{DATE})"


# PostgreSQL expects that `<>` leaves most rows and so walks the order; it would expect few of a comparison by `=`.
IS_NOT_LATER = f"COALESCE((SELECT 1 FROM contents_contentdraft draft WHERE {IS_LATER}), 0) <> 1"


def with_drafts(rows: QuerySet[Content]) -> QuerySet[Any]:
    return rows.annotate(
        draft_level=F("draft__checked_level"), draft_editor=F("draft__editor"), draft_edited_at=F("draft__edited_at")
    )


def last_edit_of(content: Any) -> tuple[datetime, str]:
    """When and by whom a content of `with_drafts` was changed."""
    if content.draft_edited_at is not None and content.draft_edited_at > content.last_edit_date:
        return content.draft_edited_at, content.draft_editor
    return content.last_edit_date, content.last_edit_user_name
