"""The pages of users and of their log."""

import re

import pytest

from accounts import services
from accounts.models import User, UserLog
from tests.admin.pages.browsing import act, listed, noted, place, told
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PAGE = "accounts_user"


def test_users_are_approved_locked_unlocked_and_deleted(highest):
    user = UserFactory(is_checked=False)
    admin_actions = {
        "approve": ("is_checked", True),
        "lock": ("is_locked_out", True),
        "unlock": ("is_locked_out", False),
    }
    for name, (column, value) in admin_actions.items():
        act(highest, PAGE, name, user)
        assert getattr(User.objects.get(pk=user.pk), column) is value
    assert told(act(highest, PAGE, "delete", user))[-1:] == ["1 user was deleted."]
    assert not User.objects.exists()
    assert [entry.action for entry in noted()] == ["user.changed", "user.changed", "user.unlocked", "user.deleted"]


def test_the_list_can_be_narrowed_and_searched(highest):
    waiting, locked = UserFactory(is_checked=False), UserFactory(is_locked_out=True, email="l@example.org")
    assert listed(highest, PAGE, is_checked__exact=0) == [waiting]
    assert listed(highest, PAGE, is_locked_out__exact=1) == [locked]
    assert listed(highest, PAGE, q="l@example") == [locked]


@pytest.mark.parametrize(("language", "words"), [("en", ["yes", "no"]), ("zh-hans", ["是", "否"])])
def test_states_are_told_in_words(highest, language, words):
    user = UserFactory(is_checked=True, is_locked_out=False)
    highest.cookies["cms_language"] = language
    page = highest.get(place(PAGE)).content.decode()
    assert re.findall('<td class="field-is_(?:checked|locked_out)">(.*?)</td>', page) == words
    page += highest.get(place(PAGE, "change", user.pk)).content.decode()
    assert 'alt="True"' not in page and 'alt="False"' not in page


def test_a_user_is_shown_without_password(highest):
    user = UserFactory(display_name="读者一")
    user.set_password("harbour1")
    user.save()
    text = highest.get(place(PAGE, "change", user.pk)).content.decode()
    assert "读者一" in text
    assert not any(secret in text for secret in (user.password, user.password_stamp, "argon2"))


@pytest.mark.parametrize(("page", "kind"), [(PAGE, "users"), ("accounts_administrator", "administrators")])
def test_whoever_never_signed_in_was_never_active(highest, page, kind):
    values = {"user_name": "ann", "password": "lantern-27", "email": "", "mobile": ""}
    made = services.create_user(values) if kind == "users" else services.create_administrator(values)
    assert _activity(highest, page, made) == "never"
    type(made).objects.filter(pk=made.pk).update(last_activity_date="2020-02-03 04:05:06")
    assert "2020-02-03 04:05" in _activity(highest, page, made)


def _activity(browser, page, account):
    shown = browser.get(place(page, "change", account.pk)).content.decode()
    return re.search(r'field-last_activity.*?<div class="readonly">(.*?)</div>', shown, re.DOTALL)[1]


def test_the_log_of_users_is_shown_newest_first_and_can_be_narrowed(highest):
    for name, action in (("ann", "Sign-in"), ("ann", "New password"), ("ben", "Sign-in")):
        UserLog.objects.create(user_name=name, action=action)

    def rows(**query):
        return [(row.user_name, row.action) for row in listed(highest, "accounts_userlog", **query)]

    assert rows() == [("ben", "Sign-in"), ("ann", "New password"), ("ann", "Sign-in")]
    assert rows(action="Sign-in") == [("ben", "Sign-in"), ("ann", "Sign-in")]
    assert rows(q="ann") == [("ann", "New password"), ("ann", "Sign-in")]


def test_what_the_service_noted_is_told_in_the_language_of_the_page(highest):
    own = UserLog.objects.create(user_name="ann", action="Failed sign-in", summary="The user signed in.")
    UserLog.objects.create(user_name="bob", action="Users", summary="as the client wrote it")
    highest.cookies["cms_language"] = "zh-hans"
    listed_text = highest.get(place("accounts_userlog")).content.decode()
    assert '<td class="field-action_text">登录失败</td>' in listed_text
    assert '<td class="field-action_text">Users</td>' in listed_text
    assert "用户登录成功。" in highest.get(place("accounts_userlog", "change", own.pk)).content.decode()
