"""The forms of users: made, changed, given another password and another picture."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from accounts.models import Administrator, User, UserLog
from tests.accounts.picture_files import plain, saved
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, nothing_counted
from tests.admin.pages.browsing import listed, noted, place
from tests.admin.world import administrator_with
from tests.factories import ApiKeyFactory, UserFactory

__all__ = ["nothing_counted"]

pytestmark = pytest.mark.django_db
PAGE = "accounts_user"


@pytest.fixture
def highest(client):
    client.force_login(account_of("administrators", user_name="harriet"))
    return client


def drawn_of(answer):
    """The password that the page shows."""
    return re.search(r'<code id="password"[^>]*>([^<]+)</code>', answer.content.decode())[1]


def errors(answer):
    return {field for field, problems in answer.context["adminform"].form.errors.items() if problems}


def test_a_user_is_made_with_a_typed_password(highest):
    sent = {"user_name": "ann", "email": "a@example.org", "is_checked": "on", "password": "lantern7"}
    assert highest.post(place(PAGE, "add"), sent).status_code == 302
    user = User.objects.get()
    assert (user.user_name, user.email, user.is_checked, user.is_locked_out) == ("ann", "a@example.org", True, False)
    assert user.check_password("lantern7")
    assert [entry.action for entry in noted()] == ["user.created"]


def test_a_drawn_password_is_shown_once(highest):
    answer = highest.post(place(PAGE, "add"), {"user_name": "ann", "is_drawn": "on"})
    user = User.objects.get()
    assert user.check_password(drawn_of(answer))
    assert "no-store" in answer["Cache-Control"]
    assert drawn_of(answer) not in highest.get(place(PAGE, "change", user.pk)).content.decode()


REFUSED = {
    "a name that is taken": ({"user_name": "COLLEAGUE"}, "user_name"),
    "a name that is none": ({"user_name": 'a"b'}, "user_name"),
    "an address that is taken": ({"email": "C@example.org"}, "email"),
    "a weak password": ({"password": "short"}, "password"),
    "no password": ({"password": ""}, "password"),
}


@pytest.mark.parametrize("values,field", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_stands_beside_its_field(highest, values, field):
    UserFactory(user_name="colleague", email="c@example.org")
    answer = highest.post(place(PAGE, "add"), {"user_name": "ann", "password": "lantern7"} | values)
    assert errors(answer) == {field}
    assert User.objects.count() == 1


def test_a_change_touches_what_was_changed_alone(highest):
    user = UserFactory(user_name="ann", display_name="Ann", is_checked=False)
    sent = {"user_name": "ann", "display_name": "Ann A.", "email": "", "is_locked_out": "on"}
    assert highest.post(place(PAGE, "change", user.pk), sent).status_code == 302
    user.refresh_from_db()
    assert (user.display_name, user.is_checked, user.is_locked_out) == ("Ann A.", False, True)
    (entry,) = noted()
    assert entry.changed == ["displayName", "isLockedOut"]


def test_another_password_ends_what_the_old_one_opened(highest):
    user = UserFactory(user_name="ann")
    user.set_password("harbour1")
    user.save()
    stamp = user.password_stamp
    answer = highest.post(place(PAGE, "password", user.pk), {"is_drawn": "on", "own_password": PASSWORD})
    user.refresh_from_db()
    assert user.check_password(drawn_of(answer))
    assert user.password_stamp != stamp
    assert UserLog.objects.filter(user=user, action="New password").count() == 1


def test_nobody_resets_a_password_without_their_own(highest):
    user = UserFactory(user_name="ann")
    answer = highest.post(place(PAGE, "password", user.pk), {"is_drawn": "on", "own_password": OTHER})
    assert set(answer.context["form"].errors) == {"own_password"}
    assert User.objects.get().password == user.password


def test_a_picture_is_uploaded_and_removed(highest, django_capture_on_commit_callbacks):
    user = UserFactory(user_name="ann")
    page = place(PAGE, "picture", user.pk)
    picture = SimpleUploadedFile("me.png", saved(plain(), "PNG"))
    assert highest.post(page, {"picture": picture}).status_code == 302
    user.refresh_from_db()
    assert user.avatar_file
    assert user.avatar_file in highest.get(place(PAGE, "change", user.pk)).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert highest.post(page, {"is_removed": "on"}).status_code == 302
    assert User.objects.get().avatar_file == ""


def test_what_is_no_picture_is_refused(highest):
    user = UserFactory(user_name="ann")
    answer = highest.post(place(PAGE, "picture", user.pk), {"picture": SimpleUploadedFile("me.png", b"no picture")})
    assert "picture" in answer.context["form"].errors
    assert highest.post(place(PAGE, "picture", user.pk), {}).status_code == 200


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "may have at most 3.1 megapixels. Save it as a JPEG"), ("zh-hans", "此格式的图片最多 3.1 百万像素")],
)
def test_a_picture_that_its_format_makes_too_large_is_refused_with_what_to_do(highest, language, told):
    picture = SimpleUploadedFile("me.webp", saved(plain((2500, 1251)), "WEBP"))
    page = place(PAGE, "picture", UserFactory().pk)
    answer = highest.post(page, {"picture": picture}, headers={"Accept-Language": language})
    assert told in answer.context["form"].errors["picture"][0]


def test_the_page_of_a_user_shows_the_latest_entries_of_the_log(highest):
    user, other = UserFactory(user_name="ann"), UserFactory(user_name="ben")
    for each in (user, other):
        UserLog.objects.create(user=each, user_name=each.user_name, action="Sign-in", ip_address="192.0.2.7")
    assert "192.0.2.7" in highest.get(place(PAGE, "change", user.pk)).content.decode()
    assert [entry.user for entry in listed(highest, "accounts_userlog", user=user.pk)] == [user]


@pytest.mark.parametrize(
    "text,found",
    [("AN", ["ann"]), ("港", ["cat"]), ("b@EX", ["ben"]), ("138", ["cat"]), ("nn", []), ("%", []), ("+", ["ann"])],
)
def test_users_are_found_by_how_something_begins(highest, text, found):
    UserFactory(user_name="ann", mobile="+861380")
    UserFactory(user_name="ben", email="b@example.org")
    UserFactory(user_name="cat", display_name="港口读者", mobile="13800")
    assert [user.user_name for user in listed(highest, PAGE, q=text)] == found


def test_the_search_uses_indexes(db):
    rows = (User(user_name=f"reader {n}", password="!", email=f"r{n}@example.org") for n in range(2000))
    User.objects.bulk_create(rows, batch_size=1000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    plan = User.objects.all().beginning("reader 17").explain()
    assert "user_folded_display_name" in plan
    assert "SCAN accounts_user" not in plan
    assert "Seq Scan" not in plan


RIGHTS = {
    "change": {"change": 302, "add": 403, "password": 404, "picture": 200},
    "add": {"change": 403, "add": 302, "password": 404, "picture": 404},
    "reset": {"change": 403, "add": 403, "password": 200, "picture": 404},
    "view": {"change": 403, "add": 403, "password": 404, "picture": 404},
}


@pytest.mark.parametrize("right", RIGHTS)
def test_each_right_opens_its_own_page(right):
    user, browser = UserFactory(user_name="ann"), Client()
    browser.force_login(administrator_with(f"accounts.{right}_user"))
    places = {"change": [user.pk], "add": [], "password": [user.pk], "picture": [user.pk]}
    sent = {"user_name": "ann", "password": "lantern7"}
    found = {
        name: browser.post(
            place(PAGE, name, *numbers), sent | ({"user_name": "new"} if name == "add" else {})
        ).status_code
        for name, numbers in places.items()
    }
    assert found == RIGHTS[right]


def test_who_may_change_users_but_not_lock_them_does_not(highest):
    user, browser = UserFactory(user_name="ann"), Client()
    browser.force_login(administrator_with("accounts.change_user"))
    browser.post(place(PAGE, "change", user.pk), {"user_name": "ann", "is_locked_out": "on", "is_checked": ""})
    user.refresh_from_db()
    assert (user.is_locked_out, user.is_checked) == (False, True)


def test_the_page_of_an_administrator_tells_of_keys_and_sign_ins(highest):
    own = Administrator.objects.get(user_name="harriet")
    ApiKeyFactory(administrator=own)
    text = highest.get(place("accounts_administrator", "change", own.pk)).content.decode()
    assert f'?administrator__id__exact={own.pk}">1</a>' in text
    assert "Administrator signed in" in text or "There are no entries yet." in text


def test_a_form_without_groups_says_so_and_leads_to_them(highest):
    text = highest.get(place("accounts_administrator", "add")).content.decode()
    assert "There are no groups yet." in text
    assert place("auth_group", "add") in text
