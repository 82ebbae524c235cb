"""Ready-made roles: groups with the rights of a usual task."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override, pgettext_lazy

from accounts.administrator_services import store_group


class Role(NamedTuple):
    name: Promise
    description: Promise
    permissions: frozenset[str]  # by full name

    def named(self, language: str) -> str:
        with override(language):
            return str(self.name)

    @property
    def names(self) -> list[str]:
        return [self.named(code) for code, _language in settings.LANGUAGES]


_SEEING = frozenset({"contents.view_content"})
_AUTHOR = _SEEING | {
    "contents.add_content",
    "contents.change_content",
    "media_library.view_mediafile",
    "media_library.add_mediafile",
    "media_library.change_mediafile",
}
_EDITOR = _AUTHOR | {
    "contents.approve1_content",
    "contents.delete_content",
    "contents.restore_content",
    *(f"comments.{right}_comment" for right in ("view", "change", "delete")),
    "channels_app.view_channel",
    "media_library.delete_mediafile",
}
_CHIEF_EDITOR = _EDITOR | {
    "contents.approve_content",
    "channels_app.add_channel",
    "channels_app.change_channel",
    "channels_app.delete_channel",
    "channels_app.restore_channel",
}
_SITE_MANAGER = _CHIEF_EDITOR | {
    "contents.purge_content",
    "channels_app.purge_channel",
    "cms_sites.view_site",
    "cms_sites.change_site",
    *(f"forms.{right}_form" for right in ("view", "add", "change", "delete")),
    *(f"forms.{right}_entry" for right in ("view", "change", "delete", "export")),
    "pages.view_template",
    "pages.change_template",
}

ROLES = (
    Role(
        pgettext_lazy("role", "Author"),
        _("Writes and changes content items and submits them for approval."),
        _AUTHOR,
    ),
    Role(
        pgettext_lazy("role", "Editor"),
        _("Does what an author does, approves at level 1, and moves content items to the trash and back."),
        _EDITOR,
    ),
    Role(
        pgettext_lazy("role", "Chief editor"),
        _("Does what an editor does, approves at every level, and arranges the channels."),
        _CHIEF_EDITOR,
    ),
    Role(
        pgettext_lazy("role", "Site manager"),
        _("Does what a chief editor does, changes site settings, templates and forms, and deletes permanently."),
        _SITE_MANAGER,
    ),
    Role(
        pgettext_lazy("role", "Integrator"),
        _("Sees content items with their changes, channels and templates, and changes nothing."),
        _SEEING | {"channels_app.view_channel", "media_library.view_mediafile", "pages.view_template"},
    ),
)


def shown_name(name: str) -> str:
    """Return the name of a group; roles, stored in one language, in the reader's language."""
    role = _by_name().get(name)
    return name if role is None else str(role.name)


@cache
def _by_name() -> dict[str, Role]:
    return {name: role for role in ROLES for name in role.names}


def description_of(group: Group) -> str:
    """Return the description of the role with the group's permissions; empty if there is none."""
    own = {f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all()}
    return next((str(role.description) for role in ROLES if role.permissions == own), "")


@transaction.atomic
def create_roles(language: str) -> list[tuple[Group, bool]]:
    """Create the missing roles and return all, each with true if it is new; one named in another language exists."""
    found = []
    for role in ROLES:
        group = Group.objects.filter(name__in=role.names).order_by("pk").first()
        is_new = group is None
        found.append((group or store_group(Group(), role.named(language), _stored(role.permissions)), is_new))
    return found


def _stored(names: Iterable[str]) -> list[Permission]:
    pairs = (name.split(".") for name in sorted(names))
    return [Permission.objects.get(content_type__app_label=app, codename=codename) for app, codename in pairs]
