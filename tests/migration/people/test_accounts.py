"""Administrators and users of SiteServer become accounts here, with their passwords."""

from datetime import datetime

import pytest
from django.db import transaction

from accounts.hashers import md5_form
from accounts.models import Administrator, User, UserLog
from core.audit.models import AuditEntry
from migration.models import MigratedRecord
from migration.people.administrators import migrate_administrators
from migration.people.members import migrate_members
from tests.accounts.signing_in import log_in
from tests.factories import AdministratorFactory, UserFactory
from tests.migration.people.moving import DAY, PASSWORD, administrator, later, secret, user

CREATED = datetime(2019, 3, 1, 10, 20, 30)
USER_OF_66 = {
    "CountOfWriting": 7,
    "Organization": "甲公司",
    "Department": "研发",
    "Position": "工程师",
    "Education": "本科",
    "Graduation": "乙大学",
    "Address": "上海",
    "Interests": "海",
    "Signature": "你好",
}


def members(account, *names):
    return {name: getattr(account, name) for name in names}


def test_an_administrator_of_version_6(migration):
    row = administrator(
        7,
        "editor",
        DisplayName="编辑",
        Email="e@example.com",
        Mobile="138",
        CreatorUserName="admin",
        LastActivityDate="2019-03-05 08:00:00",
        CountOfLogin=3,
        CountOfFailedLogin=5,
        SiteId=36,
        LastChangePasswordDate="1754-01-01 00:00:00",
        DepartmentId=2,
        AreaId=4,
        SiteIdCollection="36",
    )
    done = migration(Administrator=[row]).run(migrate_administrators)
    made = Administrator.objects.get()
    assert members(made, "pk", "user_name", "display_name", "email", "mobile", "creator_user_name") == {
        "pk": 7,
        "user_name": "editor",
        "display_name": "编辑",
        "email": "e@example.com",
        "mobile": "138",
        "creator_user_name": "admin",
    }
    assert (made.creation_date, made.last_change_password_date) == (CREATED, CREATED)
    assert made.last_activity_date == datetime(2019, 3, 5, 8)
    assert (made.count_of_login, made.count_of_failed_login, made.site_id) == (3, 0, 36)
    assert (made.department_id, made.area_id) == (2, 4)
    # Ranks come later, and the list of sites is one.
    assert (made.is_superuser, made.site_id_collection, made.is_locked_out) == (False, "", False)
    assert done.outcomes("administrators") == {"new": 1}
    assert AuditEntry.objects.filter(action="administrator.created", object_id="7").count() == 1


def test_a_user_of_version_6_6(migration):
    row = user(9, "zhangsan", **USER_OF_66, Gender="男", Birthday="1990-01-01", WeiXin="w", Qq="10001", WeiBo="b")
    migration(User=[row | {"IsChecked": "False", "IsLockedOut": "TRUE"}]).run(migrate_members)
    made = User.objects.get()
    names = ("organization", "department", "position", "education", "graduation", "address", "interests", "signature")
    assert list(members(made, *names).values()) == list(USER_OF_66.values())[1:]
    assert (made.pk, made.count_of_writing, made.is_checked, made.is_locked_out) == (9, 7, False, True)
    assert list(members(made, "gender", "birthday", "wei_xin", "qq", "wei_bo").values()) == [
        *("男", "1990-01-01", "w", "10001", "b")
    ]
    assert (made.create_date, made.last_activity) == (CREATED, None)


@pytest.mark.parametrize("settings", ['{"organization":"甲公司","weiXin":"w"}', "organization=甲公司&weixin=w"])
def test_later_versions_have_some_members_in_their_settings(migration, settings):
    row = user(9, "zhangsan", SettingsXml=settings, Bio="b" * 300, AvatarUrl="https://cdn.example.com/9.png")
    done = migration(User=[row]).run(migrate_members)
    made = User.objects.get()
    assert (made.organization, made.wei_xin, made.signature) == ("甲公司", "w", "b" * 255)
    assert made.avatar_url == "https://cdn.example.com/9.png"
    assert done.places("too long") == ["siteserver_user 9: signature"]


def test_version_7_names_columns_otherwise(migration):
    row = {"Id": 9, "UserName": "zhangsan", **secret(), "CreatedDate": DAY, "Checked": True, "Locked": True}
    administrator = {"Id": 3, "UserName": "editor", **secret(), "CreatedDate": DAY, "Locked": True}
    done = migration(
        User=[row | {"ExtendValues": '{"gender":"男"}', "AvatarUrl": "a.png"}], Administrator=[administrator]
    )
    done.run(migrate_administrators, migrate_members)
    made = User.objects.get()
    assert (made.create_date, made.is_checked, made.is_locked_out, made.gender) == (CREATED, True, True, "男")
    assert (Administrator.objects.get().creation_date, Administrator.objects.get().is_locked_out) == (CREATED, True)
    assert done.places("picture of a user") == ["siteserver_user 9: a.png"]


@pytest.mark.parametrize("sent", [PASSWORD, md5_form(PASSWORD)])
def test_both_kinds_sign_in_with_the_old_password(migration, stranger, sent):
    done = migration(User=[user(9, "zhangsan")], Administrator=[administrator(3, "editor")])
    done.run(migrate_administrators, migrate_members)
    assert log_in(stranger, "users", "zhangsan", sent).status_code == 200
    assert log_in(stranger, "administrators", "editor", sent).status_code == 200
    assert log_in(stranger, "users", "zhangsan", "wrong").status_code == 400
    assert done.report.facts["passwords of users"] == "Encrypted: 1 recovered, 0 lost"


def test_no_secret_is_in_the_report_the_records_or_the_audit(migration):
    clear = {"Password": "in the clear", "PasswordFormat": "Clear"}
    rows = [user(1, "a"), user(2, "b", **clear), user(3, "c", PasswordFormat="Hashed")]
    done = migration(User=rows, Administrator=[administrator(1, "editor")])
    done.run(migrate_administrators, migrate_members)
    everything = "".join(path.read_text() for path in done.folder.iterdir())
    everything += repr([done.report.facts, done.report.findings])
    everything += repr(list(MigratedRecord.objects.values())) + repr(list(AuditEntry.objects.values()))
    for plain in (PASSWORD, "in the clear"):
        assert plain not in everything and md5_form(plain) not in everything
    assert secret()["Password"] not in everything
    assert done.places("cannot be recovered") == ["siteserver_user 3: c"]
    assert done.report.facts["passwords of users"] == (
        "Clear: 1 recovered, 0 lost; Encrypted: 1 recovered, 0 lost; Hashed: 0 recovered, 1 lost"
    )


@pytest.mark.parametrize("options", [{"with_passwords": False}, {"is_dry_run": True}])
def test_without_passwords_nobody_can_sign_in(migration, stranger, monkeypatch, options):
    monkeypatch.setattr("migration.people.passwords.encode_md5", None)  # nothing is hashed
    migration(User=[user(9, "zhangsan")]).run(migrate_members, **options)
    assert log_in(stranger, "users", "zhangsan", PASSWORD).status_code == 400


def test_passwords_can_be_moved_by_a_later_run(migration, stranger):
    moving = migration(User=[user(9, "zhangsan"), user(10, "lisi")])
    moving.run(migrate_members, with_passwords=False)
    lisi = User.objects.get(pk=10)
    lisi.set_password("changed-here-1")
    lisi.last_reset_password_date = datetime(2999, 1, 1)
    lisi.save()
    assert moving.run(migrate_members).outcomes("users") == {"updated": 1, "unchanged": 1}
    assert log_in(stranger, "users", "zhangsan", PASSWORD).status_code == 200
    assert log_in(stranger, "users", "lisi", "changed-here-1").status_code == 200
    assert moving.places("changed in the source and here") == ["siteserver_user 10: lisi"]


# ---- Ids and unique values


def test_a_taken_id_is_replaced_by_one_above_those_of_the_source(migration):
    ours = UserFactory(user_name="ours")
    rows = [user(ours.pk, "zhangsan"), user(ours.pk + 500, "lisi")]
    done = migration(User=rows).run(migrate_members)
    assert User.objects.get(user_name="lisi").pk == ours.pk + 500
    zhangsan = User.objects.get(user_name="zhangsan")
    assert zhangsan.pk > ours.pk + 500
    assert done.places("id of an account is taken") == [f"siteserver_user {ours.pk}: zhangsan: {zhangsan.pk}"]
    assert UserFactory().pk > zhangsan.pk


def test_the_lowest_id_keeps_its_name_address_and_mobile(migration):
    UserFactory(user_name="Ours", email="ours@example.com")
    rows = [
        user(1001, "Zhang", Email="z@example.com", Mobile="139"),
        user(1002, "zhang", Email="Z@example.com", Mobile="139"),
        user(1003, "ours", Email="OURS@example.com"),
        user(1004, "139"),  # would sign in as the first
        user(1005, "13800000000", Mobile="13800000000"),
        user(1006, " a\tb "),
        user(1007, None),
    ]
    done = migration(User=rows).run(migrate_members)
    found = {one.pk: (one.user_name, one.email, one.mobile) for one in User.objects.filter(pk__gt=1000)}
    assert found == {
        1001: ("Zhang", "z@example.com", "139"),
        1002: ("zhang-1002", "", ""),
        1003: ("ours-1003", "", ""),
        1004: ("139-1004", "", ""),
        1005: ("13800000000", "", "13800000000"),
        1006: ("ab", "", ""),
        1007: ("account-1007", "", ""),
    }
    assert len(done.places("name of an account")) == 5
    assert done.places("address or mobile number belongs") == [
        "siteserver_user 1002: mobile 139",
        "siteserver_user 1002: email Z@example.com",
        "siteserver_user 1003: email OURS@example.com",
    ]


def test_an_administrator_with_a_name_of_ours_becomes_ours(migration):
    ours = AdministratorFactory(user_name="admin", display_name="ours")
    moving = migration(Administrator=[administrator(1001, "Admin", DisplayName="theirs")])
    for _ in range(2):
        moving.row("Administrator", 1001)["CountOfLogin"] = 9
        assert moving.run(migrate_administrators).outcomes("administrators") == {"unchanged": 1}
        found = Administrator.objects.get()
        assert (found.pk, found.display_name, found.password) == (ours.pk, "ours", ours.password)


# ---- Later runs


def test_a_second_run_changes_only_rows_that_changed(migration):
    moving = migration(User=[user(9, "zhangsan", CountOfLogin=3), user(10, "lisi")])
    moving.run(migrate_members)
    before = User.objects.get(pk=9)
    entries = AuditEntry.objects.count()
    assert moving.run(migrate_members).outcomes("users") == {"unchanged": 2}
    assert AuditEntry.objects.count() == entries
    User.objects.filter(pk=9).update(count_of_login=8, avatar_file="kept.png")
    moving.row("User", 9).update(DisplayName="张三", CountOfLogin=4, LastActivityDate="2019-05-05 08:00:00")
    assert moving.run(migrate_members).outcomes("users") == {"updated": 1, "unchanged": 1}
    after = User.objects.get(pk=9)
    assert (after.display_name, after.count_of_login, after.password) == ("张三", 8, before.password)
    assert (after.last_activity_date, after.avatar_file) == (datetime(2019, 5, 5, 8), "kept.png")
    assert (after.password_stamp, after.last_reset_password_date) == (before.password_stamp, CREATED)


def test_a_suffixed_name_stays_in_later_runs(migration):
    moving = migration(User=[user(9, "zhangsan"), user(10, "Zhangsan")]).run(migrate_members)
    moving.row("User", 10)["DisplayName"] = "张三"
    moving.run(migrate_members)
    assert User.objects.get(pk=10).user_name == "Zhangsan-10"


@pytest.mark.parametrize(("kind", "table"), [("users", "User"), ("administrators", "Administrator")])
def test_a_password_that_changed_in_the_source_changes_here(migration, stranger, kind, table):
    # A clock of the source that is ahead does not make the password one that changed here.
    ahead = {"LastResetPasswordDate": "2999-01-01 00:00:00", "LastChangePasswordDate": "2999-01-01 00:00:00"}
    row = (user if table == "User" else administrator)(9, "zhangsan", **ahead)
    moving = migration(**{table: [row]}).run(migrate_administrators, migrate_members)
    moving.row(table, 9).update(secret("lantern-22"))
    assert moving.run(migrate_administrators, migrate_members).outcomes(kind) == {"updated": 1}
    assert log_in(stranger, kind, "zhangsan", "lantern-22").status_code == 200
    action = f"{kind.removesuffix('s')}.password_changed"
    assert AuditEntry.objects.filter(action=action).count() == 1
    assert moving.run(migrate_administrators, migrate_members).outcomes(kind) == {"unchanged": 1}


def test_a_password_that_changed_here_stays(migration, stranger, monkeypatch):
    moving = migration(User=[user(9, "zhangsan")]).run(migrate_members)
    with later(monkeypatch, minutes=1):
        account = User.objects.get()
        account.set_password("changed-here-1")
        account.save()
    moving.row("User", 9).update(secret("lantern-22"))
    for _ in range(2):
        with later(monkeypatch, minutes=2):
            assert moving.run(migrate_members).outcomes("users") == {"unchanged": 1}
        assert moving.places("changed in the source and here") == ["siteserver_user 9: zhangsan"]
        assert log_in(stranger, "users", "zhangsan", "changed-here-1").status_code == 200


def test_accounts_that_are_gone_on_one_side_stay_so_on_the_other(migration):
    moving = migration(User=[user(9, "zhangsan"), user(10, "lisi")]).run(migrate_members)
    User.objects.get(pk=10).delete()
    moving.row("User", 10)["DisplayName"] = "李四"
    moving.tables["siteserver_User"] = moving.tables["siteserver_User"][1:]
    assert moving.run(migrate_members).outcomes("users") == {"left out": 1}
    assert User.objects.get().pk == 9
    assert moving.places("no longer in the source") == ["siteserver_user 9"]
    assert moving.places("has been deleted here") == ["siteserver_user 10: lisi"]


def test_a_lock_in_the_source_does_not_shut_out_the_last_superuser(migration):
    moving = migration(Administrator=[administrator(3, "a"), administrator(4, "b")]).run(migrate_administrators)
    Administrator.objects.filter(pk=3).update(is_superuser=True)
    for number in (3, 4):
        moving.row("Administrator", number)["IsLockedOut"] = "True"
    moving.run(migrate_administrators)
    assert list(Administrator.objects.order_by("pk").values_list("is_locked_out", flat=True)) == [False, True]
    assert moving.places("last superuser") == ["siteserver_administrator of a"]


# ---- Groups of users, and their log


def test_groups_of_users_are_reported(migration):
    groups = [{"Id": 1, "GroupName": "投稿人", "AdminName": "editor"}]
    done = migration(User=[user(9, "zhangsan", GroupId=1), user(10, "lisi", GroupId=0)], UserGroup=groups)
    assert done.run(migrate_members).places("group of users") == ["投稿人: 1 users"]


def entry(number, name, **columns):
    own = {
        "Id": number,
        "UserName": name,
        "IpAddress": "10.0.0.1",
        "AddDate": DAY,
        "Action": "用户登录",
        "Summary": "s",
    }
    return own | columns


def test_the_log_of_users_is_moved_once(migration):
    rows = [user(9, "zhangsan"), user(10, "Zhangsan")]
    moving = migration(User=rows, UserLog=[entry(5, "ZHANGSAN"), entry(6, "deleted", Summary=None)])
    assert moving.run(migrate_members).outcomes("entries of the user log") == {"new": 2}
    moving.tables["siteserver_UserLog"].append(entry(7, "zhangsan"))
    assert moving.run(migrate_members).outcomes("entries of the user log") == {"new": 1}
    first, second, third = UserLog.objects.order_by("id")
    assert (first.user_name, first.ip_address, first.add_date) == ("ZHANGSAN", "10.0.0.1", CREATED)
    assert (first.action, first.summary, first.user_id, third.user_id) == ("用户登录", "s", 9, 9)
    assert (second.user_id, second.user_name, second.summary) == (None, "deleted", "")


def test_version_7_has_one_log_of_users_and_administrators(migration):
    rows = [
        {"Id": 1, "UserId": 9, "AdminId": 0, "IpAddress": "::1", "AddDate": DAY, "Action": "登录", "Summary": ""},
        {"Id": 2, "UserId": 0, "AdminId": 1, "IpAddress": "::1", "AddDate": DAY, "Action": "登录", "Summary": ""},
    ]
    migration(User=[user(9, "zhangsan")], Log=rows).run(migrate_members)
    found = UserLog.objects.get()
    assert (found.user_id, found.user_name, found.ip_address) == (9, "zhangsan", "::1")


def test_a_dry_run_that_is_rolled_back_leaves_nothing(migration):
    moving = migration(User=[user(9, "zhangsan"), user(10, "Zhangsan")], UserLog=[entry(5, "zhangsan")])
    with transaction.atomic():
        moving.run(migrate_members, is_dry_run=True)
        transaction.set_rollback(True)
    assert moving.outcomes("users") == {"new": 2}
    assert not User.objects.exists() and not UserLog.objects.exists()
    assert moving.run(migrate_members).outcomes("users") == {"new": 2}
