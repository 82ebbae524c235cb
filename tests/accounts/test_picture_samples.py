"""The published samples of avatars and captchas: the same members and types on data of our own."""

import json
from pathlib import Path

import pytest

from core import captcha
from tests.accounts.forms import file_part, keep_media_in, upload
from tests.accounts.picture_files import plain, saved
from tests.factories import UserFactory

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]


def published(name):
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))["response"]["body"]


def shape(value):
    """Names in their order, and types; a date that never was is null here."""
    if isinstance(value, dict):
        return [(name, shape(member)) for name, member in value.items() if name != "lastActivityDate"]
    return type(value)


def test_an_uploaded_avatar_is_answered_as_published(api, settings, tmp_path):
    keep_media_in(settings, tmp_path)
    expected = published("27-users-avatar-upload")
    user = UserFactory(display_name="演示", email="demo@sample.example", mobile="13888888888")
    answer = upload(api, user.pk, file_part(saved(plain(), "PNG"))).json()
    assert shape(answer) == shape(expected)
    assert answer["value"]["avatarUrl"].startswith("http://")
    assert answer["value"]["avatarUrl"].endswith(".png")


def test_the_address_of_an_avatar_is_answered_as_published(stranger):
    assert shape(stranger.get("/api/v1/users/1/avatar").json()) == shape(published("28-users-avatar-get"))


def test_the_published_check_of_a_captcha_is_carried_out(stranger):
    request = json.loads((SAMPLES / "35-captcha-check.json").read_text(encoding="utf-8"))["request"]
    stranger.get("/api/v1/captcha/yzm?r=1")
    shown = captcha.characters("yzm", stranger.cookies["SS-yzm"].value)
    (name,) = request["body"]
    assert stranger.post(request["path"], {name: shown}).json() == published("35-captcha-check")
