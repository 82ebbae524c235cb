"""Who has rights in a channel, and giving and taking roles there."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts import administrator_services
from accounts.roles import create_roles
from channels_app.services import trash_channel
from core.admin.places import places_of
from core.lib.errors import InvalidInput
from tests.admin.pages.browsing import noted, place, told
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory

pytestmark = pytest.mark.django_db
PAGE = ("auth_group", "people")


PASSWORD = "a-lantern-in-fog"


@pytest.fixture
def superuser(client):
    """A superuser's browser."""
    own = AdministratorFactory(user_name="own")
    own.set_password(PASSWORD)
    own.save()
    client.force_login(own)
    return client


@pytest.fixture
def author():
    return next(group for group, _is_new in create_roles("en") if group.name == "Author")


@pytest.fixture
def news():
    return ChannelFactory(channel_name="News")


@pytest.fixture
def anna():
    return AdministratorFactory(user_name="anna", is_superuser=False)


def give(browser, channel, person, role, **sent):
    given = {"administrator": person.pk, "role": role.pk, "own_password": PASSWORD}
    return browser.post(place(*PAGE, channel.pk), given | sent)


def shown(browser, channel):
    people = browser.get(place(*PAGE, channel.pk)).context["people"]
    return [(person.administrator.user_name, person.role, person.is_here) for person in people]


def fresh(person):
    return type(person).objects.get(pk=person.pk)


def test_a_role_is_given_in_a_channel_and_below_it_only(superuser, news, anna, author):
    below, beside = ChannelFactory(parent=news), ChannelFactory(site=news.site)
    assert told(give(superuser, news, anna, author)) == ["anna is now Author in “News”."]
    places = places_of(fresh(anna), "contents.change_content")
    reached = [places.covers(each.site_id, each.path_ids) for each in (news, below, beside)]
    assert reached == [True, True, False]
    assert not places_of(fresh(anna), "contents.approve_content")
    assert shown(superuser, below) == [("anna", "Author · News", False)]
    assert shown(superuser, news) == [("anna", "Author · News", True)]
    assert shown(superuser, beside) == []
    assert [entry.action for entry in noted()][-2:] == ["group.created", "administrator.changed"]


def test_the_second_person_joins_the_group_of_the_first(superuser, news, anna, author):
    give(superuser, news, anna, author)
    give(superuser, news, AdministratorFactory(user_name="bela", is_superuser=False), author)
    assert [name for name, _role, _is_here in shown(superuser, news)] == ["anna", "bela"]
    assert Group.objects.filter(name__startswith="Author ·").count() == 1


def test_channels_of_one_name_have_groups_of_their_own(superuser, news, anna, author):
    other = ChannelFactory(channel_name="News")
    give(superuser, news, anna, author)
    give(superuser, other, anna, author)
    assert {"Author · News", "Author · News (2)"} == set(fresh(anna).groups.values_list("name", flat=True))
    assert shown(superuser, news)[0][1] != shown(superuser, other)[0][1]


def test_on_the_home_channel_it_is_a_role_in_the_whole_site(superuser, news, anna, author):
    give(superuser, news.parent, anna, author)
    assert places_of(fresh(anna), "contents.change_content").covers_site(news.site_id)


def test_a_role_is_taken_away_where_it_was_given(superuser, news, anna, author):
    give(superuser, news, anna, author)
    group = anna.groups.get()
    take = {"take": f"{group.pk}-{anna.pk}"}
    assert told(superuser.post(place(*PAGE, news.pk), take))[-1:] == ["The role was taken away."]
    assert not fresh(anna).groups.exists()
    assert "was not found" not in told(superuser.post(place(*PAGE, news.pk), take))[-1]  # told in plain words


def test_only_a_role_of_this_channel_is_taken_away_here(superuser, news, anna, author):
    anna.groups.add(author)
    superuser.post(place(*PAGE, news.pk), {"take": f"{author.pk}-{anna.pk}"})
    assert list(fresh(anna).groups.all()) == [author]


def test_the_own_password_is_asked_for_once(superuser, news, anna, author):
    answer = superuser.post(place(*PAGE, news.pk), {"administrator": anna.pk, "role": author.pk})
    assert "own_password" in answer.context["form"].errors
    assert not fresh(anna).groups.exists()


@pytest.mark.parametrize("fields", [{"is_superuser": True}, {"site_id_collection": "1"}])
def test_other_ranks_get_no_roles(superuser, news, author, fields):
    person = AdministratorFactory(**{"is_superuser": False} | fields)
    assert "administrator" in give(superuser, news, person, author).context["form"].errors
    with pytest.raises(InvalidInput):
        administrator_services.give_role(person.pk, author, (news.site_id, news.pk), "x")


def test_only_superusers_see_and_give_roles(news, author):
    for user in (
        AdministratorFactory(is_superuser=False, site_id_collection=str(news.site_id)),
        administrator_with("channels_app.change_channel"),
    ):
        browser = Client()
        browser.force_login(user)
        assert browser.get(place(*PAGE, news.pk)).status_code == 404
        assert give(browser, news, user, author).status_code == 404


def test_a_channel_in_the_trash_has_no_people(superuser, news):
    trash_channel(news.site_id, news.pk)
    assert superuser.get(place(*PAGE, news.pk)).status_code == 404
