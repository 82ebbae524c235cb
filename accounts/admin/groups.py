"""The pages of groups, for the highest rank alone."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.admin.forms import GroupForm
from accounts.administrator_services import delete_group
from cms_api.admin.acts import Act
from cms_api.admin.pages import ActingPages, offered_rights

# Django's own page of groups would offer rights that mean nothing here.
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ActingPages):
    """Groups, which tell what ordinary administrators may do."""

    acts = (
        Act(
            "delete",
            _("Delete"),
            ngettext_lazy("Delete %(count)d group?", "Delete %(count)d groups?", "count"),
            ngettext_lazy("%(count)d group was deleted.", "%(count)d groups were deleted.", "count"),
            lambda request, group: delete_group(group.pk),
            consequence=lambda some: _("Administrators lose what only these groups allowed."),
            is_grave=True,
        ),
    )
    form = GroupForm
    fields = ["name", "permissions"]
    list_display = ["name", "administrators"]
    search_fields = ["name"]
    ordering = ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        groups: QuerySet[Any] = super().get_queryset(request).annotate(number=Count("user"))
        return groups

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **options)
        form.rights = offered_rights(self.admin_site)
        return form

    @admin.display(description=_("administrators"))
    def administrators(self, group: Any) -> int:
        """How many administrators are in it."""
        return int(group.number)
