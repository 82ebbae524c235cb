"""What the database itself refuses, and who counts as what."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from accounts.models import Administrator
from tests.factories import AdministratorFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("factory", [AdministratorFactory, UserFactory])
@pytest.mark.parametrize(
    "first, second",
    [
        ({"user_name": "Harbour"}, {"user_name": "harbour"}),
        ({"email": "desk@example.org"}, {"email": "DESK@example.org"}),
        ({"mobile": "13800000000"}, {"mobile": "13800000000"}),
    ],
    ids=["name", "e-mail", "mobile"],
)
def test_name_e_mail_and_mobile_are_unique(factory, first, second):
    factory(**first)
    with pytest.raises(IntegrityError), transaction.atomic():
        factory(**second)


@pytest.mark.parametrize("factory", [AdministratorFactory, UserFactory])
def test_no_e_mail_and_no_mobile_may_stand_often(factory):
    assert factory().pk != factory().pk


@pytest.mark.parametrize("factory", [AdministratorFactory, UserFactory])
def test_a_name_is_needed(factory):
    with pytest.raises(IntegrityError), transaction.atomic():
        factory(user_name="")


def test_createsuperuser_makes_the_highest_rank(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "harbour-21")
    call_command("createsuperuser", "--noinput", user_name="captain")
    captain = Administrator.objects.get_by_natural_key("CAPTAIN")
    assert captain.is_superuser and captain.is_staff and captain.is_active
    assert captain.check_password("harbour-21")


def test_the_first_of_the_highest_rank_is_the_longest_standing_who_is_not_locked():
    AdministratorFactory(is_locked_out=True)
    AdministratorFactory(is_superuser=False)
    second, _ = AdministratorFactory(), AdministratorFactory()
    assert Administrator.objects.first_of_highest_rank() == second


def test_the_display_name_stands_for_the_user_name():
    assert AdministratorFactory(user_name="a", display_name="Desk").get_full_name() == "Desk"
    assert AdministratorFactory(user_name="b").get_full_name() == "b"
