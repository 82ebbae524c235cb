"""Export and import on the pages of users."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.tables import LEFT_OUT, UserResource, user_columns, user_rows
from cms_api.admin.tables.columns import Column
from cms_api.jobs.admin.table_pages import Choices, TablePages


class UserTables(TablePages):
    """The tables of users; a class beside RecordPages."""

    export_action, import_action = "user.exported", "user.imported"
    import_job = "accounts.import"
    export_left_out = LEFT_OUT

    def may_export(self, request: HttpRequest) -> bool:
        """Whoever may take all of them away: a right of its own."""
        return bool(self.allows(request, "export"))

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """The columns that are written; the password is none of them."""
        return user_columns(reading=False)

    def import_columns(self, request: HttpRequest) -> list[Column]:
        """The columns that are read, with the password."""
        return user_columns(reading=True)

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """The cells of users."""
        return user_rows(records, names)

    def import_resource(self, request: HttpRequest, choices: Choices) -> UserResource:
        """What reads the rows, as far as the administrator's rights go now."""
        return UserResource(lambda act: bool(self.allows(request, act)))
