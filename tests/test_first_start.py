"""What `make run` does before it serves."""

import re

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command

from accounts.models import Administrator
from accounts.roles import ROLES
from apikeys.models import ApiKey
from contents.models import Content
from sites.models import Site
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def static_root(settings, tmp_path):
    # WhiteNoise reads the folder for each new test client, which takes 50 ms if files have been collected into it.
    settings.STATIC_ROOT = tmp_path


def start(capsys):
    call_command("first_start")
    return capsys.readouterr().out


def test_an_empty_database_gets_a_site_an_administrator_and_a_key(capsys, client):
    shown = start(capsys)
    name, password = re.search(r"Sign-in: +(\S+) / (\S+)", shown).groups()
    token = re.search(r"API key: +(\S+)", shown)[1]
    addresses = dict(re.findall(r"^(Website|Admin|Start page): +http://127\.0\.0\.1:8000(/\S*)$", shown, re.MULTILINE))
    assert addresses == {"Website": "/", "Admin": "/admin/", "Start page": "/start/"}
    assert client.login(username=name, password=password)
    answer = client.post(
        "/api/v1/contents", {"siteId": Site.objects.get().pk}, "application/json", headers={"X-SS-API-KEY": token}
    )
    assert answer.json()["totalCount"] == Content.objects.count() == 60


def test_a_site_without_pages_is_no_website(capsys):
    SiteFactory()
    assert "Website:" not in start(capsys)


def test_a_second_start_changes_nothing_and_shows_no_secret(capsys):
    first = start(capsys)
    second = start(capsys)
    token = re.search(r"API key: +(\S+)", first)[1]
    assert token not in second and "unchanged" in second
    lines = re.findall(r"`(\S+) manage\.py (\w+) ", second)
    assert lines == [(".venv/bin/python", name) for name in ("changepassword", "rotate_api_key")]
    assert (Site.objects.count(), Administrator.objects.count(), ApiKey.objects.count()) == (1, 1, 1)


def test_a_new_installation_gets_roles_and_one_with_a_group_or_an_administrator_does_not(capsys):
    start(capsys)
    assert Group.objects.count() == len(ROLES)
    Group.objects.all().delete()
    start(capsys)
    assert not Group.objects.exists()
    Administrator.objects.get().delete()
    Group.objects.create(name="Desk")
    start(capsys)
    assert [group.name for group in Group.objects.all()] == ["Desk"]
