"""What tests of the back end share."""

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
