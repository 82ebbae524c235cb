"""Admin actions of templates: duplicate, make default, delete."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from channels_app.services import lock_tree
from core.admin.admin_actions import AdminAction
from pages import services
from pages.models import Template, TemplateKind

_MAX_NAME = 255


def _delete(request: HttpRequest, template: Template) -> None:
    services.delete_template(template.pk)


def _make_default(request: HttpRequest, template: Template) -> None:
    services.make_default(template.pk)


@transaction.atomic
def _duplicate(request: HttpRequest, template: Template) -> None:
    # The tree is locked first, as in the services, so that the free name stays free.
    lock_tree(template.site_id)
    taken = Template.objects.filter(site_id=template.site_id, kind=template.kind)
    names = {name.casefold() for name in taken.values_list("name", flat=True)}
    paths = set(taken.exclude(page_path="").values_list("page_path", flat=True))
    number = 2
    while (name := _numbered(template, number)).casefold() in names or _numbered_path(template, number) in paths:
        number += 1
    path = _numbered_path(template, number) if template.kind == TemplateKind.FILE else template.page_path
    services.add_template(template.site_id, template.kind, name=name, page_path=path, text=template.text)


def _numbered(template: Template, number: int) -> str:
    if template.kind == TemplateKind.INCLUDE:
        return _with_number(template.name, number)
    ending = f" ({number})"
    return template.name[: _MAX_NAME - len(ending)] + ending


def _numbered_path(template: Template, number: int) -> str:
    return _with_number(template.page_path, number) if template.kind == TemplateKind.FILE else ""


def _with_number(path: str, number: int) -> str:
    stem, dot, extension = path.rpartition(".")
    ending = f"-{number}{dot}{extension}"
    return stem[: _MAX_NAME - len(ending)] + ending


def _describe_default(templates: list[Template]) -> str:
    return _now("It makes the pages of everything that names no other template.")


_shared: dict[str, Any] = {"right": "change"}
DUPLICATE = AdminAction(
    "duplicate",
    _("Duplicate"),
    ngettext_lazy("Duplicate %(count)d template?", "Duplicate %(count)d templates?", "count"),
    ngettext_lazy("%(count)d template was duplicated.", "%(count)d templates were duplicated.", "count"),
    _duplicate,
    creates=True,
    **_shared,
)
MAKE_DEFAULT = AdminAction(
    "make-default",
    _("Make default"),
    ngettext_lazy("Make %(count)d template the default?", "Make %(count)d templates defaults?", "count"),
    ngettext_lazy("%(count)d template is now the default.", "%(count)d templates are now defaults.", "count"),
    _make_default,
    suits=lambda template: not template.is_default and template.kind in services.WITH_DEFAULT,
    unsuited=_("is the default already, or of a type without a default"),
    nothing_to_do=_("Nothing to do: they are defaults already, or their type has no default."),
    consequence=_describe_default,
    **_shared,
)
DELETE = AdminAction(
    "delete",
    _("Delete"),
    ngettext_lazy("Delete %(count)d template permanently?", "Delete %(count)d templates permanently?", "count"),
    ngettext_lazy("%(count)d template was deleted.", "%(count)d templates were deleted.", "count"),
    _delete,
    consequence=lambda templates: _now("Their earlier versions are deleted, too. Templates in use stay."),
    is_grave=True,
    **_shared,
)
ACTIONS = (DUPLICATE, MAKE_DEFAULT, DELETE)
