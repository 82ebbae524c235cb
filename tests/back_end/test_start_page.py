"""The start page: what may be done here, and what comes first."""

import pytest

from tests.factories import AdministratorFactory, SiteFactory

pytestmark = pytest.mark.django_db


def titles(answer, name):
    return [str(card.title) for card in answer.context[name]]


def test_the_highest_rank_is_led_to_its_first_key(highest):
    answer = highest.get("/admin/")
    assert "Issue an API key" in titles(answer, "first_steps") or "Look at the contents" in titles(
        answer, "first_steps"
    )
    assert {"Contents", "Sites", "API keys", "Administrators"} <= set(titles(answer, "cards"))


def test_a_site_administrator_has_cards_for_their_sites_only(client):
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk)))
    answer = client.get("/admin/")
    assert titles(answer, "first_steps") == []
    assert set(titles(answer, "cards")) <= {"Contents", "Channels", "Sites", "Trash"}


@pytest.mark.parametrize(("name", "shown"), [("Harriet Lund", "Harriet Lund"), ("", "harriet")])
def test_it_greets_by_the_name_that_there_is(client, name, shown):
    client.force_login(AdministratorFactory(user_name="harriet", display_name=name))
    assert f"<h1>Welcome, {shown}</h1>" in client.get("/admin/").content.decode()
