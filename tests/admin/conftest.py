"""What tests of the back end share."""

from copy import copy

import pytest


@pytest.fixture
def highest(client, db):
    """A browser in which an administrator of the highest rank has signed in."""
    from tests.factories import AdministratorFactory

    client.force_login(AdministratorFactory(user_name="harriet"))
    return client


@pytest.fixture
def without_frames(monkeypatch):
    """Neither menus nor error pages are rendered: half the time of a test that asks for thousands of statuses."""
    monkeypatch.setattr("core.admin.site.menu_of", lambda *_arguments: [])
    monkeypatch.setattr("cms_api.views.render_to_string", lambda *_arguments: "")


@pytest.fixture
def remembered_people(monkeypatch):
    """Sessions read their administrator with its rights once instead of with each request."""
    from django.conf import settings
    from django.contrib import auth

    people, read = {}, auth.get_user

    def get_user(request):
        session = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session not in people:
            people[session] = read(request)
            getattr(people[session], "granted_places", None)
        return copy(people[session])  # views may set attributes

    monkeypatch.setattr(auth, "get_user", get_user)
