"""Roles become groups, and administrators get the ranks that come closest to their roles."""

from django.contrib.auth.models import Group, Permission
from django.db.models import Value
from django.db.models.functions import Concat

from accounts.administrator_services import store_group
from migration import records
from migration.context import Context
from migration.people.drafts import OURS
from migration.people.ranks import migrate_ranks
from migration.people.role_rows import ROLES, Role, read_roles
from migration.report import Outcome

_KIND = "groups of administrators"
_NAME_LENGTH = 150


def migrate_roles(context: Context) -> None:
    """Store groups, and ranks of migrated administrators; after administrators and sites."""
    roles = read_roles(context)
    known = records.find(ROLES, [role.source_id for role in roles.values()])
    groups = {name: _store(role, known.get(role.source_id), context) for name, role in roles.items()}
    migrate_ranks(context, roles, {name: group for name, group in groups.items() if group is not None})


def _store(role: Role, known: records.Migrated | None, context: Context) -> Group | None:
    """Return the group of the role; None if it was deleted here."""
    if role.without_counterpart:
        told = "Permissions of a role have no counterpart here."
        context.report.find(told, role.name, ", ".join(sorted(role.without_counterpart)))
    permissions, name = _permissions(role, context), role.name[:_NAME_LENGTH]
    digest = records.digest_of({"name": name, "permissions": " ".join(sorted(permissions))})
    group = Group.objects.filter(pk=known.target_id).first() if known else Group.objects.filter(name=name).first()
    if known and (group is None or known.digest in {OURS, digest}):
        if group is None:
            context.report.find("The group of a role has been deleted here; it is not created again.", role.name)
        context.report.add(_KIND, Outcome.UNCHANGED if group else Outcome.LEFT_OUT)
        return group
    if group and not known:
        context.report.find("A group here has the name of a role; it stays as it is.", name)
        context.store(ROLES, [(role.source_id, group.pk, OURS)])
        context.report.add(_KIND, Outcome.UNCHANGED)
        return group
    stored = store_group(group or Group(), name, list(_rows(permissions)))
    context.store(ROLES, [(role.source_id, stored.pk, digest)])
    context.report.add(_KIND, Outcome.UPDATED if known else Outcome.NEW)
    return stored


def _permissions(role: Role, context: Context) -> frozenset[str]:
    """Return the permissions of the group that apply on every site here, since groups cannot limit them."""
    if context.options.with_ordinary and role.sites:
        return frozenset()
    return role.permissions.union(*(rights.permissions for rights in role.sites.values()))


def _rows(names: frozenset[str]) -> "list[Permission]":
    full_name = Concat("content_type__app_label", Value("."), "codename")
    return list(Permission.objects.annotate(full_name=full_name).filter(full_name__in=names))
