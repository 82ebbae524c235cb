"""Roles of SiteServer become groups and ranks, which never reach further than the roles did."""

import pytest
from django.contrib.auth.models import Group, Permission

from accounts.models import Administrator
from migration import records
from migration.people.administrators import migrate_administrators
from migration.people.roles import migrate_roles
from tests.factories import AdministratorFactory, SiteFactory
from tests.migration.people.moving import administrator

EDITOR = "cms_contentView,cms_contentAdd,cms_contentEdit,cms_contentCheckLevel1,cms_templateEdit"
RIGHTS = {"view_content", "add_content", "change_content", "approve1_content", "restore_content", "purge_content"}
OF_USERS = {f"{name}_user" for name in ("view", "add", "change", "delete", "approve", "lock", "reset", "export")}


def in_role(number, role, name):
    return {"Id": number, "RoleName": role, "UserName": name}


def role_tables(channels="37,38", rights=EDITOR, website="site_contents,site_contentsTrash", general="settings_user"):
    of_site = {"ChannelIdCollection": channels, "ChannelPermissions": rights, "WebsitePermissions": website}
    return {
        "Role": [{"Id": 1, "RoleName": "新闻编辑", "CreatorUserName": "admin"}],
        "PermissionsInRoles": [{"Id": 1, "RoleName": "新闻编辑", "GeneralPermissions": general}],
        "SitePermissions": [{"Id": 1, "RoleName": "新闻编辑", "SiteId": 36} | of_site],
        "Administrator": [administrator(3, "editor")],
        "AdministratorsInRoles": [in_role(1, "新闻编辑", "Editor"), in_role(2, "Administrator", "editor")],
    }


@pytest.fixture
def site(db):
    """The site that number 36 has become."""
    made = SiteFactory()
    records.store("siteserver_site", [(36, made.pk, "")])
    return made


def codenames(group):
    return set(group.permissions.values_list("codename", flat=True))


def rank(name):
    found = Administrator.objects.get(user_name=name)
    return found.is_superuser, found.site_id_collection, [group.name for group in found.groups.order_by("name")]


STEPS = (migrate_administrators, migrate_roles)


def test_predefined_roles_become_ranks(migration, site):
    people = [administrator(number, name, SiteIdCollection="36") for number, name in enumerate("abc", 1)]
    people.append(administrator(4, "d"))
    roles = [
        in_role(1, "ConsoleAdministrator", "a"),
        in_role(2, "systemadministrator", "b"),
        in_role(3, "Administrator", "c"),
        in_role(4, "SystemAdministrator", "d"),
    ]
    done = migration(Administrator=people, AdministratorsInRoles=roles, Role=[{"Id": 1, "RoleName": "Administrator"}])
    done.run(*STEPS)
    assert [rank(name) for name in "abcd"] == [
        (True, "", []),
        (False, str(site.pk), []),
        (False, "", []),
        (False, "", []),
    ]
    assert not Group.objects.exists()
    assert done.places("without sites has become") == ["d"]


def test_a_role_becomes_a_group_with_the_permissions_that_we_know(migration, site):
    done = migration(**role_tables()).run(*STEPS)
    assert codenames(Group.objects.get(name="新闻编辑")) == RIGHTS | OF_USERS
    assert done.places("no counterpart here") == ["新闻编辑: cms_templateEdit, site_contents"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[("cms_contentDelete", "delete_content"), ("cms_contentTranslate", "change_content")],
        *[("cms_contentArrange", "change_content"), ("cms_contentCheck", "approve_content")],
        *[("cms_contentCheckLevel4", "approve4_content"), ("CMS_contentCheckLevel5", "approve_content")],
        *[("cms_channelAdd", "add_channel"), ("cms_channelEdit", "change_channel")],
        *[("cms_channelDelete", "delete_channel"), ("cms_channelTranslate", "change_channel")],
        *[("content_view", "view_content"), ("content_checkLevel2", "approve2_content")],
        ("site_channels", "view_channel add_channel change_channel delete_channel"),
        ("site_contentsRecycle", "restore_content purge_content"),
    ],
)
def test_each_permission_has_its_counterpart(migration, site, name, expected):
    migration(**role_tables(rights=name, website="", general="")).run(*STEPS)
    assert codenames(Group.objects.get()) == set(expected.split())


def test_version_7_names_the_columns_otherwise(migration, site):
    tables = role_tables()
    of_site = {"ChannelIds": "37", "ContentPermissions": "content_view", "Permissions": "site_contentsRecycle"}
    tables["SitePermissions"] = [{"Id": 1, "RoleName": "新闻编辑", "SiteId": 36} | of_site]
    tables["PermissionsInRoles"] = [{"Id": 1, "RoleName": "新闻编辑", "AppPermissions": "app_plugins"}]
    tables["Administrator"].append(administrator(4, "system") | {"SiteIdCollection": None})
    del tables["Administrator"][1]["SiteIdCollection"]
    tables["Administrator"][1]["SiteIds"] = "36"
    tables["AdministratorsInRoles"].append(in_role(3, "SystemAdministrator", "system"))
    migration(**tables).run(*STEPS)
    assert codenames(Group.objects.get()) == {"view_content", "restore_content", "purge_content"}
    assert rank("editor") == rank("system") == (False, str(site.pk), [])


def test_a_role_limited_to_sites_makes_site_administrators_of_these(migration, site):
    done = migration(**role_tables()).run(*STEPS)
    assert rank("editor") == (False, str(site.pk), [])
    assert done.places("may do everything in the site") == ["editor: 新闻编辑: site 36, channels: 37, 38"]
    (lost,) = done.places("outside sites")
    assert lost.startswith("editor: 新闻编辑: accounts.add_user")


def test_the_home_channel_stands_for_the_whole_site(migration, site):
    done = migration(**role_tables(channels="37,36")).run(*STEPS)
    assert rank("editor") == (False, str(site.pk), [])
    assert done.places("may do everything in the site") == ["editor: 新闻编辑: site 36, channels: all"]


def test_or_ordinary_ones_in_a_group_without_permissions(migration, site):
    done = migration(**role_tables()).run(*STEPS, with_ordinary=True)
    assert rank("editor") == (False, "", ["新闻编辑"])
    assert codenames(Group.objects.get()) == set()
    assert done.places("were limited to sites") == ["editor: 新闻编辑"]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({"channels": "", "website": ""}, "group"),  # without channels, their permissions allow nothing
        ({"rights": "cms_templateEdit", "website": "site_contents"}, "group"),
        ({"channels": ""}, "site"),
    ],
)
def test_only_permissions_that_allow_something_in_a_site_make_its_administrators(migration, site, tables, expected):
    migration(**role_tables(**tables)).run(*STEPS)
    assert rank("editor") == (
        False,
        str(site.pk) if expected == "site" else "",
        ["新闻编辑"] if expected == "group" else [],
    )


def test_sites_that_were_not_migrated_are_reached_by_nobody(migration):
    SiteFactory()
    done = migration(**role_tables()).run(*STEPS)
    assert rank("editor") == (False, "", [])
    assert done.places("site of an administrator has not been migrated") == ["editor: site 36"]
    assert done.places("work in no migrated site") == ["editor: 新闻编辑"]


def test_accounts_and_groups_of_ours_stay_as_they_are(migration, site):
    AdministratorFactory(user_name="editor", is_superuser=False)
    group = Group.objects.create(name="新闻编辑")
    group.permissions.add(Permission.objects.get(codename="view_content"))
    moving = migration(**role_tables())
    for _ in range(2):
        moving.run(*STEPS)
        assert rank("editor") == (False, "", [])
        assert codenames(group) == {"view_content"}


def test_a_later_run_changes_only_what_changed_in_the_source(migration, site):
    moving = migration(**role_tables()).run(*STEPS)
    Administrator.objects.update(site_id_collection="")
    Group.objects.get().permissions.clear()
    moving.run(*STEPS)
    assert rank("editor") == (False, "", []) and codenames(Group.objects.get()) == set()
    assert moving.outcomes("groups of administrators") == moving.outcomes("ranks of administrators") == {"unchanged": 1}
    moving.row("SitePermissions", 1)["ChannelPermissions"] = "cms_contentView"
    moving.tables["siteserver_AdministratorsInRoles"].append(in_role(3, "ConsoleAdministrator", "editor"))
    moving.run(*STEPS)
    assert rank("editor") == (True, "", [])
    assert codenames(Group.objects.get()) == {"view_content", "restore_content", "purge_content"} | OF_USERS
    Group.objects.all().delete()
    assert moving.run(*STEPS).outcomes("groups of administrators") == {"left out": 1}


def test_the_last_superuser_stays_one(migration):
    people = {"Administrator": [administrator(3, "a")]}
    moving = migration(**people, AdministratorsInRoles=[in_role(1, "ConsoleAdministrator", "a")]).run(*STEPS)
    moving.row("AdministratorsInRoles", 1)["RoleName"] = "Administrator"
    moving.run(*STEPS)
    assert rank("a") == (True, "", [])
    assert moving.places("rank of an administrator could not")[0].startswith("a: Administrator 3 is the last superuser")
