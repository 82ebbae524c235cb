"""What holds on every page of the back end."""

import pytest
from django.urls import reverse

from apikeys.models import ApiKeyToken
from tests.factories import ApiKeyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_strangers_are_asked_to_sign_in(client):
    answer = client.get(reverse("admin:index"))
    assert answer.status_code == 302
    assert "/admin/login/" in answer["Location"]


def test_no_page_shows_a_token_a_digest_or_a_password(highest):
    key = ApiKeyFactory()
    digest = ApiKeyToken.objects.get(api_key=key).digest
    administrator = key.administrator
    administrator.set_password("harbour1")
    administrator.save()
    for page, record in (("apikeys_apikey", key), ("accounts_administrator", administrator)):
        for place in (f"admin:{page}_changelist", f"admin:{page}_change"):
            arguments = [record.pk] if place.endswith("change") else []
            text = highest.get(reverse(place, args=arguments)).content.decode()
            assert not any(secret in text for secret in (key.token, digest, administrator.password, "argon2"))


def test_browsers_may_name_their_origin_with_forms(client):
    # Under "no-referrer" Chromium sends "Origin: null", and the check against forgery refuses the sign-in.
    assert client.get(reverse("admin:login")).headers["Referrer-Policy"] == "same-origin"


def test_an_empty_list_says_what_to_do_next(highest):
    users = reverse("admin:accounts_user_changelist")
    page = highest.get(users).content.decode()
    assert "There is nothing here yet." in page
    assert f'href="{users}add/"' in page[page.index("nothing-found") :]
    assert "action-bar" not in page
    page = highest.get(users, {"q": "nobody"}).content.decode()
    assert "Nothing matches." in page
    assert "Clear search and filters" in page[page.index("nothing-found") :]
