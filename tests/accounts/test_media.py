"""`/media/…`: files of one known type under names that only we give; nothing else is reached, and none of it acts."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from core.uploads import media
from tests.accounts.forms import keep_media_in
from tests.accounts.picture_files import opened

NAME = "avatars/ab/" + "ab" + "c" * 28 + ".png"
DEFAULT = "avatars/default.png"


@pytest.fixture(autouse=True)
def stored(settings, tmp_path):
    """The folder of the files, with one file in it that may be served and some that may not."""
    folder = tmp_path / "media"
    keep_media_in(settings, folder)
    default_storage.save(NAME, ContentFile(b"picture"))
    for name in ("secret.png", "avatars/secret.png", "avatars/ab/secret.html", "other/ab/" + NAME[11:]):
        default_storage.save(name, ContentFile(b"secret"))
    (tmp_path / "secret_key").write_bytes(b"secret")
    return folder


def ask(client, path, method="GET"):
    return client.generic(method, f"/media/{path}")


@pytest.mark.parametrize("path", [NAME, DEFAULT])
def test_a_file_is_served_so_that_nothing_in_it_can_act(client, path):
    response = ask(client, path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.headers["Content-Disposition"] == "inline"
    assert response.headers["Content-Length"] == str(len(response.content))
    assert "Set-Cookie" not in response.headers
    assert "Vary" not in response.headers


def test_a_file_is_kept_for_ever_and_the_default_picture_for_a_day(client):
    assert ask(client, NAME).headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert ask(client, DEFAULT).headers["Cache-Control"] == "public, max-age=86400"
    assert ask(client, NAME).content == b"picture"


def test_the_default_picture_is_one(client):
    picture = opened(ask(client, DEFAULT).content)
    assert (picture.format, picture.size, picture.info) == ("PNG", (256, 256), {})


def without_number(answer):
    """The headers that are the same for all requests for a file."""
    return {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}


@pytest.mark.parametrize("path", [NAME, DEFAULT])
def test_a_head_has_the_headers_of_a_get(client, path):
    asked, read = ask(client, path, "HEAD"), ask(client, path)
    assert asked.content == b""
    assert without_number(asked) == without_number(read)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_is_written_here(client, method, stored):
    assert ask(client, NAME, method).status_code == 405
    assert (stored / NAME).read_bytes() == b"picture"


UNKNOWN = [
    "",
    "avatars",
    "avatars/",
    "avatars/ab",
    "avatars/ab/",
    NAME + "/",
    NAME.replace("c.png", "d.png"),
    NAME.upper(),
    NAME + "%0A",
    NAME + "%00",
    NAME.replace("/", "%2F%2F"),
    NAME.replace("ab/", "ab/./"),
    "./" + NAME,
    "/" + NAME,
    "other/ab/" + NAME[11:],
    "secret.png",
    "avatars/secret.png",
    "avatars/ab/secret.html",
    "../secret_key",
    "..%2Fsecret_key",
    "%2e%2e/secret_key",
    "avatars/../../secret_key",
    "avatars/..%2f..%2fsecret_key",
    "avatars/ab/..%5c..%5csecret_key",
    "avatars/%c0%ae%c0%ae/secret_key",
    "%2Fetc%2Fpasswd",
    "avatars/default.png/../../secret.png",
    "C:%5Cboot.ini",
    "中文.png",
    "a" * 5000,
]


@pytest.mark.parametrize("path", UNKNOWN)
def test_everything_else_is_404_in_plain_text(client, path):
    response = ask(client, path)
    assert response.status_code == 404
    assert b"secret" not in response.content
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.content == b"There is no such file.\n"


def test_no_type_is_one_that_browsers_run():
    types = {kind for _, kind in [*media.FOLDERS.values(), *media.OWN.values()]}
    assert types == {"image/png"}
