"""`manage.py create_roles [--language]`."""

import io

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.management import call_command

from accounts.roles import ROLES, description_of
from core.admin.pages import offered_rights
from core.audit.models import AuditEntry

pytestmark = pytest.mark.django_db
NAMES = ["Author", "Editor", "Chief editor", "Site manager", "Integrator"]


def create(*options):
    said = io.StringIO()
    call_command("create_roles", *options, stdout=said)
    return said.getvalue().splitlines()


def test_creates_a_group_for_each_role_and_notes_it():
    assert create() == [f"{name}: created" for name in NAMES]
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "object_name")) == [
        ("group.created", name) for name in NAMES
    ]
    for group, role in zip(Group.objects.order_by("pk"), ROLES, strict=True):
        stored = {f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all()}
        assert stored == role.permissions
        assert description_of(group) == str(role.description)


def test_roles_have_rights_that_the_pages_offer():
    assert set().union(*(role.permissions for role in ROLES)) <= set(offered_rights(admin.site))


def test_a_group_that_exists_stays_as_it_is_whatever_the_language_of_its_name():
    create("--language", "zh-hans")
    editor, author = Group.objects.get(name="编辑"), Group.objects.get(name="作者")
    editor.permissions.clear()
    author.delete()
    assert create() == [
        "Author: created",
        "编辑: exists, unchanged",
        "主编: exists, unchanged",
        "站点负责人: exists, unchanged",
        "集成人员: exists, unchanged",
    ]
    assert not editor.permissions.exists()
    assert description_of(editor) == ""
