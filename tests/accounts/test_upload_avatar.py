"""`POST /users/{id}/avatar`: the picture is drawn anew and kept, or nothing changes."""

import errno
from urllib.parse import urlsplit

import pytest
from django.db import OperationalError, connection

from accounts import access_tokens, avatars
from accounts.models import User
from core.lib.media_storage import WholeFiles
from tests.accounts.forms import FORM, file_part, form, keep_media_in, stored, stored_files, text_part, upload
from tests.accounts.picture_files import opened, plain, png, saved
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import UserFactory

PNG = saved(plain((40, 30)), "PNG")
# What is done when a change is committed, is done: hence real transactions.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """An empty folder for the files of a test."""
    folder = tmp_path / "media"
    folder.mkdir()
    keep_media_in(settings, folder)
    return folder


def address(user):
    return f"/api/v1/users/{user.pk}/avatar"


def avatar_file(user):
    return User.objects.get(pk=user.pk).avatar_file


def assert_unchanged(user):
    """The user's avatar is what it was, and no file is kept but that one."""
    assert avatar_file(user) == user.avatar_file
    assert stored_files() == {user.avatar_file} - {""}


@pytest.fixture
def pictured(api):
    """A user with an avatar."""
    user = UserFactory()
    assert upload(api, user.pk, file_part(PNG)).status_code == 200
    return User.objects.get(pk=user.pk)


def test_the_answer_is_the_user_with_the_address_of_the_picture(api):
    user = UserFactory(display_name="Desk")
    response = upload(api, user.pk, file_part(PNG))
    assert response.status_code == 200
    value = response.json()["value"]
    assert (value["id"], value["userName"], value["displayName"]) == (user.pk, user.user_name, "Desk")
    assert value["avatarUrl"] == f"http://testserver/media/{avatar_file(user)}"
    assert value == api.get(f"/api/v1/users/{user.pk}").json()["value"]
    picture = opened(api.get(urlsplit(value["avatarUrl"]).path).content)
    assert (picture.format, picture.size, picture.getpixel((5, 5))) == ("PNG", (40, 30), (200, 100, 50))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("GIF", "avatar"), ("JPEG", "file"), ("PNG", "图片"), ("WEBP", ""), ("BMP", 'a\\"b'), ("PNG", "x" * 300)],
)
def test_every_format_is_taken_under_any_name(api, kind, name):
    user = UserFactory()
    part = file_part(saved(plain(), kind), name=name, filename="page.html", content_type="text/html")
    assert upload(api, user.pk, part).status_code == 200
    assert opened(stored(avatar_file(user))).format == "PNG"


@pytest.mark.parametrize(
    "filename", ["..", "/", "../../x.png", "C:\\me.png", "\\", "我.png", " ", "%00", ".png", "a" * 400]
)
def test_the_name_of_the_file_means_nothing(api, filename):
    user = UserFactory()
    assert upload(api, user.pk, file_part(PNG, filename=filename)).status_code == 200
    assert len(avatar_file(user)) == len("avatars/xx/.png") + 30


def test_texts_in_the_form_are_ignored(api):
    user = UserFactory(display_name="Desk")
    parts = [text_part("displayName", "Other"), file_part(PNG), text_part("userName", "x"), text_part("avatar", "y")]
    value = upload(api, user.pk, *parts).json()["value"]
    assert (value["displayName"], value["userName"]) == ("Desk", user.user_name)


def test_a_large_picture_is_shrunk(api, monkeypatch):
    monkeypatch.setattr(avatars, "SIDE", 100)
    user = UserFactory()
    upload(api, user.pk, file_part(saved(plain((1000, 500)), "PNG")))
    assert opened(stored(avatar_file(user))).size == (100, 50)


def test_a_new_picture_takes_the_place_of_the_old_one(api, pictured):
    assert upload(api, pictured.pk, file_part(PNG)).status_code == 200
    new = avatar_file(pictured)
    assert new != pictured.avatar_file
    assert stored_files() == {new}
    assert api.get(f"/media/{pictured.avatar_file}").status_code == 404


def test_a_key_is_needed_before_anything_else(stranger, client_with_key):
    user = UserFactory()
    assert_error(upload(stranger, 0, b""), 401, "key_missing")
    assert_error(upload(ApiClient("nonsense"), user.pk, file_part(PNG)), 401, "key_unknown")
    assert_error(upload(client_with_key(scopes="Contents"), user.pk, file_part(PNG)), 401, "scope_missing")
    assert_error(upload(client_with_key(scopes="Users:read"), user.pk, file_part(PNG)), 401, "scope_missing")
    assert_unchanged(user)


def test_an_unknown_user_is_404_before_the_form_is_read(api):
    assert_error(api.send("POST", "/api/v1/users/0/avatar", b"x", "text/plain"), 404, "user_not_found")
    assert_error(upload(api, 10**18, file_part(PNG)), 404, "user_not_found")


def test_a_user_who_has_signed_in_changes_the_own_avatar_only(client_with_key):
    user, other = UserFactory(), UserFactory()
    client, headers = client_with_key(scopes="Contents"), {"X-SS-USER-TOKEN": access_tokens.issue(user)[0]}
    assert upload(client, user.pk, file_part(PNG), headers=headers).status_code == 200
    assert_error(upload(client, other.pk, file_part(PNG), headers=headers), 401, "user_token_of_another")
    assert avatar_file(other) == ""


def test_a_user_uploads_with_the_token_in_the_query_alone(stranger):
    user = UserFactory()
    path = f"/api/v1/users/{user.pk}/avatar?1590000000000&userToken={access_tokens.issue(user)[0]}"
    assert stranger.send("POST", path, form(file_part(PNG)), FORM).status_code == 200
    assert avatar_file(user)


def test_a_full_disk_is_503_and_keeps_the_old_picture(api, pictured, monkeypatch):
    def refuse(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("core.lib.media_storage.os.fsync", refuse)
    answer = upload(api, pictured.pk, file_part(PNG))
    assert_error(answer, 503, "storage_full")
    assert answer.headers["Retry-After"] == "60"
    assert_unchanged(pictured)


REFUSED = [
    ([], "file_expected"),
    ([text_part("avatar", "x")], "file_expected"),
    ([file_part(PNG, filename="")], "file_expected"),
    ([file_part(PNG), file_part(PNG)], "one_file_expected"),
    ([file_part(PNG), text_part("a", "b"), file_part(b"", name="second")], "one_file_expected"),
    ([file_part(b"")], "file_empty"),
    ([file_part(b"GIF89a")], "not_a_picture"),
    ([file_part(PNG[:-30])], "not_a_picture"),
    ([file_part(b"<svg/>", filename="me.svg", content_type="image/svg+xml")], "not_a_picture"),
    ([file_part(png(13_000, 13_000))], "picture_too_large"),
]


@pytest.mark.parametrize(("parts", "code"), REFUSED)
def test_what_cannot_be_an_avatar_is_400_and_changes_nothing(api, pictured, parts, code):
    assert_error(upload(api, pictured.pk, *parts), 400, code)
    assert_unchanged(pictured)


@pytest.mark.parametrize(
    "content_type",
    ["", "image/png", "application/json", "application/x-www-form-urlencoded", "multipart/mixed; boundary=x"],
)
def test_another_media_type_is_400_and_says_which_is_expected(api, pictured, content_type):
    response = api.send("POST", address(pictured), form(file_part(PNG)), content_type)
    assert "multipart/form-data" in assert_error(response, 400, "file_expected")["message"]
    assert_unchanged(pictured)


def test_the_limit_of_pixels_is_told(api, settings):
    settings.CMS_AVATAR_MAX_PIXELS = 999
    message = assert_error(upload(api, UserFactory().pk, file_part(PNG)), 400, "picture_too_large")["message"]
    assert "999 pixels" in message


def test_as_many_bytes_as_allowed_are_taken_and_one_more_is_413(api, settings, pictured):
    settings.CMS_AVATAR_MAX_BYTES = len(PNG) + 1
    assert upload(api, pictured.pk, file_part(PNG + b"x")).status_code == 200
    pictured.refresh_from_db()
    refused = assert_error(upload(api, pictured.pk, file_part(PNG + b"xy")), 413, "file_too_large")
    assert str(len(PNG) + 1) in refused["message"]
    assert_unchanged(pictured)


def test_a_body_above_the_limit_of_bodies_is_413(api, pictured):
    assert_error(upload(api, pictured.pk, file_part(bytes(20_000_000))), 413, "body_too_large")
    assert_unchanged(pictured)


def test_a_storage_that_fails_is_503_and_changes_nothing(api, pictured, folder, settings):
    keep_media_in(settings, folder.parent / "elsewhere")
    (folder.parent / "elsewhere").write_bytes(b"")  # a file where the folder should be
    assert_error(upload(api, pictured.pk, file_part(PNG)), 503, "storage_unavailable")
    keep_media_in(settings, folder)
    assert_unchanged(pictured)


def test_a_user_deleted_meanwhile_is_404_and_leaves_no_file(pictured):
    user_id, old = pictured.pk, pictured.avatar_file
    pictured.delete()
    with pytest.raises(avatars.NotFound):
        avatars.replace(User, user_id, PNG)
    assert stored_files() == {old}  # which whoever deletes a user removes


@pytest.mark.parametrize("failure", [OperationalError("The connection is lost."), KeyboardInterrupt(), SystemExit()])
def test_whatever_fails_before_the_commit_leaves_the_old_avatar(pictured, failure):
    def fail(execute, sql, *rest):
        if sql.startswith("UPDATE"):
            raise failure
        return execute(sql, *rest)

    with connection.execute_wrapper(fail), pytest.raises(type(failure)):
        avatars.replace(User, pictured.pk, PNG)
    assert_unchanged(pictured)


def test_a_worker_that_ends_after_the_commit_leaves_the_new_avatar(pictured, monkeypatch):
    def end(storage, name):
        raise SystemExit

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(WholeFiles, "delete", end)
        avatars.replace(User, pictured.pk, PNG)
    assert avatar_file(pictured) != pictured.avatar_file
    assert stored_files() == {pictured.avatar_file, avatar_file(pictured)}


def test_an_old_file_that_cannot_be_removed_is_logged_and_no_error(api, pictured, folder, caplog):
    path = folder / pictured.avatar_file
    path.unlink()
    path.mkdir()
    (path / "something").touch()
    assert upload(api, pictured.pk, file_part(PNG)).status_code == 200
    assert avatar_file(pictured) != pictured.avatar_file
    assert pictured.avatar_file in caplog.text


def test_of_uploads_at_once_one_stays_and_no_file_without_an_owner(api):
    user = UserFactory()
    answers = at_once(api.token, *[lambda client: upload(client, user.pk, file_part(PNG))] * 6)
    assert {answer.status_code for answer in answers} <= {200, 429}
    assert [answer.status_code for answer in answers].count(200) > 1
    assert stored_files() == {avatar_file(user)}


def test_uploads_and_the_delete_of_the_user_at_once_leave_no_file(api):
    user = UserFactory()
    uploads = [lambda client: upload(client, user.pk, file_part(PNG))] * 3
    answers = at_once(api.token, *uploads, lambda client: client.delete(f"/api/v1/users/{user.pk}"))
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert answers[-1].status_code == 200
    assert stored_files() == set()


def test_removing_no_file_and_one_that_is_gone_is_no_error(pictured, caplog):
    avatars.remove("")
    avatars.remove(pictured.avatar_file)
    avatars.remove(pictured.avatar_file)
    assert not caplog.records
    assert stored_files() == set()
