"""The pages of the back end, for looking: who sees them, and what they never show."""

import pytest
from django.urls import reverse

from accounts.models import UserLog
from apikeys.models import ApiKeyToken
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, UserFactory

pytestmark = pytest.mark.django_db
PAGES = [
    "accounts_administrator",
    "accounts_user",
    "accounts_userlog",
    "apikeys_apikey",
    "cms_sites_site",
    "channels_app_channel",
]
PAGES += ["contents_content"]


@pytest.fixture
def records():
    """One record of each kind."""
    key, content = ApiKeyFactory(), ContentFactory(title="开放日")
    return {
        "accounts_administrator": key.administrator,
        "accounts_user": UserFactory(),
        "accounts_userlog": UserLog.objects.create(user_name="visitor", action="Sign-in"),
        "apikeys_apikey": key,
        "cms_sites_site": content.site,
        "channels_app_channel": content.channel,
        "contents_content": content,
    }


@pytest.fixture
def signed_in(client):
    """A browser in which an administrator of the highest rank has signed in."""
    client.force_login(AdministratorFactory())
    return client


@pytest.mark.parametrize("page", PAGES)
def test_the_highest_rank_sees_lists_and_records(signed_in, records, page):
    listed = signed_in.get(reverse(f"admin:{page}_changelist"))
    shown = signed_in.get(reverse(f"admin:{page}_change", args=[records[page].pk]))
    assert listed.status_code == shown.status_code == 200


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"cms_sites_site"}))  # sites: sites/test_site_admin.py
def test_nothing_is_changed_here(signed_in, records, page):
    place = reverse(f"admin:{page}_change", args=[records[page].pk])
    assert signed_in.post(place, {"title": "x"}).status_code == 403
    assert signed_in.post(place.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert signed_in.get(reverse(f"admin:{page}_add")).status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_other_ranks_see_nothing_yet(client, records, page):
    client.force_login(AdministratorFactory(is_superuser=False))
    assert client.get(reverse(f"admin:{page}_changelist")).status_code == 403


def test_strangers_are_asked_to_sign_in(client):
    answer = client.get(reverse("admin:index"))
    assert answer.status_code == 302
    assert "/admin/login/" in answer["Location"]


def test_the_log_of_users_is_shown_newest_first_and_can_be_narrowed(signed_in):
    for name, action in (("ann", "Sign-in"), ("ann", "New password"), ("ben", "Sign-in")):
        UserLog.objects.create(user_name=name, action=action)
    place = reverse("admin:accounts_userlog_changelist")

    def rows(**query):
        return [(row.user_name, row.action) for row in signed_in.get(place, query).context["cl"].result_list]

    assert rows() == [("ben", "Sign-in"), ("ann", "New password"), ("ann", "Sign-in")]
    assert rows(action="Sign-in") == [("ben", "Sign-in"), ("ann", "Sign-in")]
    assert rows(q="ann") == [("ann", "New password"), ("ann", "Sign-in")]


def test_a_trashed_content_is_not_shown(signed_in):
    ContentFactory(title="Gone", trashed_at="2026-01-01 00:00:00")
    assert "Gone" not in signed_in.get(reverse("admin:contents_content_changelist")).content.decode()


def test_no_page_shows_a_token_a_digest_or_a_password(signed_in):
    key = ApiKeyFactory()
    digest = ApiKeyToken.objects.get(api_key=key).digest
    administrator = key.administrator
    administrator.set_password("harbour1")
    administrator.save()
    for page, record in (("apikeys_apikey", key), ("accounts_administrator", administrator)):
        for place in (f"admin:{page}_changelist", f"admin:{page}_change"):
            arguments = [record.pk] if place.endswith("change") else []
            text = signed_in.get(reverse(place, args=arguments)).content.decode()
            assert not any(secret in text for secret in (key.token, digest, administrator.password, "argon2"))


def test_browsers_may_name_their_origin_with_forms(client):
    # Under "no-referrer" Chromium sends "Origin: null", and the check against forgery refuses the sign-in.
    assert client.get(reverse("admin:login")).headers["Referrer-Policy"] == "same-origin"
