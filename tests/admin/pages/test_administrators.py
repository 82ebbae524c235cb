"""The pages of administrators: appointing, ranks, locks, passwords, and who must stay."""

import html
import re

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Administrator, SecondFactor
from apikeys.models import ApiKey
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, nothing_counted
from tests.admin.pages.browsing import act, listed, noted, place, told
from tests.cases import each_once
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, SiteFactory

__all__ = ["nothing_counted"]

pytestmark = pytest.mark.django_db
PAGE = "accounts_administrator"


@pytest.fixture
def highest(client):
    """A browser in which an administrator of the highest rank has signed in, with a password to be asked for."""
    client.force_login(account_of("administrators", user_name="harriet"))
    return client


@pytest.fixture
def colleague():
    return AdministratorFactory(user_name="colleague")


def sent(administrator=None, **values):
    """The form as it is sent."""
    names = ("user_name", "display_name", "email", "mobile")
    own = {name: getattr(administrator, name, "") for name in names}
    rank = "highest" if administrator and administrator.is_superuser else "ordinary"
    return own | {"rank": rank, "own_password": PASSWORD} | values


def add(browser, **values):
    return browser.post(place(PAGE, "add"), sent(user_name="ann", password=PASSWORD) | values)


def change(browser, administrator, **values):
    return browser.post(place(PAGE, "change", administrator.pk), sent(administrator, **values))


def set_password(browser, administrator, **values):
    given = {"password": "lantern-27", "again": "lantern-27", "own_password": PASSWORD}
    return browser.post(place(PAGE, "password", administrator.pk), given | values)


def errors(answer):
    form = answer.context["adminform"].form if "adminform" in answer.context else answer.context["form"]
    return {field for field, problems in form.errors.items() if problems}


def test_an_administrator_of_each_rank_is_appointed(highest):
    site, group = SiteFactory(), Group.objects.create(name="editors")
    add(highest, user_name="top", rank="highest", sites=[site.pk], groups=[group.pk])
    add(highest, user_name="middle", rank="sites", sites=[site.pk], groups=[group.pk])
    add(highest, user_name="plain", rank="ordinary", groups=[group.pk], email="p@example.org")
    made = {each.user_name: each for each in Administrator.objects.exclude(user_name="harriet")}
    # What does not belong to the rank is left out.
    assert {name: (each.is_superuser, each.site_id_collection, each.groups.count()) for name, each in made.items()} == {
        "top": (True, "", 0),
        "middle": (False, str(site.pk), 0),
        "plain": (False, "", 1),
    }
    assert [entry.object_name for entry in noted("administrator.created")] == ["top", "middle", "plain"]
    assert made["plain"].check_password(PASSWORD)


REFUSED = {
    "a name that is taken": ({"user_name": "COLLEAGUE"}, "user_name"),
    "a name that is another's address": ({"user_name": "c@example.org"}, "user_name"),
    "a name with a control character": ({"user_name": "a\x07b"}, "user_name"),
    "no name": ({"user_name": " "}, "user_name"),
    "an address that is taken": ({"email": "C@example.org"}, "email"),
    "a weak password": ({"password": "short"}, "password"),
    "no password": ({"password": ""}, "password"),
    "no sites": ({"rank": "sites"}, "sites"),
    "a site that does not exist": ({"rank": "sites", "sites": [10**9]}, "sites"),
    "a rank that does not exist": ({"rank": "king"}, "rank"),
    "a group that does not exist": ({"groups": [10**9]}, "groups"),
}


@pytest.mark.parametrize("values,field", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_stands_beside_its_field(highest, values, field):
    AdministratorFactory(user_name="colleague", email="c@example.org")
    answer = add(highest, **values)
    assert answer.status_code == 200
    assert errors(answer) == {field}
    assert PASSWORD not in answer.content.decode()
    assert set(Administrator.objects.values_list("user_name", flat=True)) == {"harriet", "colleague"}
    assert noted() == []


def test_a_site_administrator_needs_a_site(highest):
    answer = add(highest, rank="sites")
    assert "Choose the sites that the administrator looks after." in html.unescape(answer.content.decode())


def test_an_ordinary_administrator_is_given_no_sites(highest):
    answer = add(highest, rank="ordinary", sites=[SiteFactory().pk])
    assert errors(answer) == {"sites"}
    assert "Only site administrators have sites." in answer.content.decode()


def test_a_change_of_rank_counts_at_once(highest, colleague, django_capture_on_commit_callbacks):
    content = ContentFactory()
    key = ApiKeyFactory(administrator=colleague, scopes="Contents:read,Administrators:read")
    api, browser = ApiClient(key.token), Client()
    browser.force_login(colleague)
    assert api.get("/api/v1/administrators").status_code == 200
    with django_capture_on_commit_callbacks(execute=True):  # which tell every process to read keys afresh
        assert change(highest, colleague, rank="sites", sites=[content.site_id]).status_code == 302
    assert api.get("/api/v1/administrators").status_code == 401
    assert api.get(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}").status_code == 200
    # The session stays and sees the new rank.
    assert browser.get(place(PAGE)).status_code == 404
    assert browser.get(place("contents_content")).status_code == 200
    (entry,) = noted("administrator.changed")
    assert entry.changed == ["isSuperuser", "siteIdCollection"]


def test_nobody_demotes_locks_or_deletes_themselves(highest, colleague):
    own = Administrator.objects.get(user_name="harriet")
    assert (
        "You cannot lock, delete or demote your own account." in change(highest, own, rank="ordinary").content.decode()
    )
    page = highest.get(place(PAGE, "change", own.pk))
    assert page.context["admin_actions"] == []
    SecondFactor.objects.create(administrator=own, secret="x", last_step=0)
    for name in ("lock", "delete", "end-sessions", "reset-second-factor"):
        asked = highest.get(place(PAGE, "action", name), {"ids": own.pk})  # the page that asks is not shown
        assert told(asked)[-1:] == ["There is nothing to do. Your own account is left out."]
        assert told(act(highest, PAGE, name, own, own_password=PASSWORD))[-1:] == [
            "There is nothing to do. Your own account is left out."
        ]
    stored = Administrator.objects.get(user_name="harriet")
    assert stored.is_superuser
    assert not stored.is_locked_out
    assert noted() == []


def test_several_may_go_but_the_one_who_does_it(highest, colleague):
    other = AdministratorFactory(user_name="other")
    own = Administrator.objects.get(user_name="harriet")
    asked = highest.get(place(PAGE, "action", "delete"), {"ids": f"{colleague.pk},{own.pk}"})
    assert [record for record, _about in asked.context["records"]] == [colleague]
    act(highest, PAGE, "delete", colleague, other, own, own_password=PASSWORD)
    assert [each.user_name for each in Administrator.objects.all()] == ["harriet"]


def test_a_locked_administrator_has_no_session_and_no_key_until_unlocked(highest, colleague):
    browser, api = Client(), ApiClient(ApiKeyFactory(administrator=colleague, scopes="STL:read").token)
    browser.force_login(colleague)
    act(highest, PAGE, "lock", colleague)
    assert browser.get(place(PAGE)).status_code == 302
    assert api.get("/api/v1/stl/sites").status_code == 401
    act(highest, PAGE, "unlock", Administrator.objects.get(pk=colleague.pk))
    assert browser.get(place(PAGE)).status_code == 302
    assert api.get("/api/v1/stl/sites").status_code == 200


def test_a_deleted_administrator_takes_the_keys_along(highest, colleague):
    ApiKeyFactory(administrator=colleague)
    asked = highest.get(place(PAGE, "action", "delete"), {"ids": colleague.pk})
    assert "Their API keys are deleted with them." in asked.content.decode()
    act(highest, PAGE, "delete", colleague, own_password=PASSWORD)
    assert not ApiKey.objects.exists()
    assert len(noted("administrator.deleted")) == 1


def test_a_new_password_ends_sessions(highest, colleague):
    browser = Client()
    browser.force_login(colleague)
    for password, again in (("lantern-27", "lantern-28"), ("short", "short"), ("", "")):
        answer = set_password(highest, colleague, password=password, again=again)
        assert answer.status_code == 200
        assert "lantern" not in answer.content.decode()
    assert set_password(highest, colleague).status_code == 302
    assert Administrator.objects.get(pk=colleague.pk).check_password("lantern-27")
    assert browser.get(place(PAGE)).status_code == 302
    assert len(noted("administrator.password_changed")) == 1


# What somebody could do with a stolen session to go on as another of the highest rank, or to shut others out.
CONFIRMED = {
    "appoint": lambda browser, one, **sent: add(browser, rank="highest", **sent),
    "raise to the highest rank": lambda browser, one, **sent: change(browser, one, rank="highest", **sent),
    "change an address": lambda browser, one, **sent: change(browser, one, email="thief@example.org", **sent),
    "set a password": set_password,
    "delete": lambda browser, one, **sent: act(browser, PAGE, "delete", one, **sent),
}


@each_once(
    ("own_password", [OTHER, "", "x" * 300]),
    ("do", CONFIRMED.values()),
)
def test_nothing_of_weight_is_done_without_the_password(highest, do, own_password):
    one = account_of("administrators", is_superuser=False, user_name="colleague")
    before = list(Administrator.objects.order_by("pk").values())
    answer = do(highest, one, own_password=own_password)
    assert answer.status_code == 200
    assert errors(answer) == {"own_password"}
    assert list(Administrator.objects.order_by("pk").values()) == before
    wrong = ["administrator.identity_not_confirmed"] if own_password == OTHER else []
    assert [entry.action for entry in noted()] == wrong
    assert do(highest, one, own_password=PASSWORD).status_code == 302


@pytest.mark.parametrize("do", CONFIRMED.values(), ids=CONFIRMED)
def test_wrong_passwords_are_limited(highest, settings, do):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    one = account_of("administrators", is_superuser=False, user_name="colleague")
    for _ in range(2):
        do(highest, one, own_password=OTHER)
    assert "Too many attempts have failed" in do(highest, one, own_password=PASSWORD).content.decode()
    assert len(noted()) == 2


def test_a_wrong_own_password_is_noted_whatever_else_is_wrong(highest, colleague):
    add(highest, user_name="COLLEAGUE", password="short", own_password=OTHER)
    add(highest, user_name="", own_password=OTHER)
    set_password(highest, colleague, again="lantern-28", own_password=OTHER)
    assert [entry.action for entry in noted()] == ["administrator.identity_not_confirmed"] * 3


def test_a_refused_form_keeps_all_but_the_new_password(highest):
    page = add(highest, user_name="ann", email="ann@example.org", password="short")
    assert errors(page) == {"password"}
    shown = page.content.decode()
    assert 'value="ann@example.org"' in shown and "own_password" not in shown
    assert 'value="short"' not in shown
    assert add(highest, own_password="", email="ann@example.org").status_code == 302


def test_a_deletion_that_was_asked_for_twice_leads_back_to_the_same_list(highest, colleague):
    answer = act(highest, PAGE, "delete", colleague, own_password=OTHER, list="rank=highest")
    assert answer.context["list_query"] == "rank=highest"
    assert OTHER not in answer.content.decode()


def test_a_change_without_a_difference_is_not_noted(highest, colleague):
    assert change(highest, colleague).status_code == 302
    assert noted() == []


def test_groups_are_changed_and_noted(highest):
    plain, group = AdministratorFactory(is_superuser=False), Group.objects.create(name="editors")
    change(highest, plain, groups=[group.pk])
    assert list(plain.groups.all()) == [group]
    assert [entry.changed for entry in noted("administrator.changed")] == [["groups"]]


def test_the_list_names_sites_and_tells_locks_in_words(highest, django_assert_num_queries):
    sites = [SiteFactory(site_name="Museum"), SiteFactory(site_name="Archive")]
    one = AdministratorFactory(
        user_name="a", is_superuser=False, site_id_collection=str(sites[0].pk), is_locked_out=True
    )
    with CaptureQueriesContext(connection) as first:
        highest.get(place(PAGE))
    both = ",".join(str(site.pk) for site in sites)
    AdministratorFactory(user_name="b", is_superuser=False, site_id_collection=both)
    with django_assert_num_queries(len(first)):
        page = highest.get(place(PAGE)).content.decode()
    assert re.findall('<td class="field-rank">(.*?)</td>', page) == ["Museum", "Museum, Archive", "superuser"]
    assert re.findall('<td class="field-locked">(.*?)</td>', page) == ["yes", "no", "no"]
    assert highest.get(place(PAGE, "change", one.pk)).status_code == 200


def test_who_appointed_an_administrator_is_stored_and_shown(highest):
    add(highest)
    ann = Administrator.objects.get(user_name="ann")
    assert ann.creator_user_name == "harriet"
    assert "harriet" in highest.get(place(PAGE, "change", ann.pk)).content.decode().partition("Created by")[2][:200]


def test_the_list_can_be_narrowed_by_rank_and_lock(highest, colleague):
    site = AdministratorFactory(user_name="site", is_superuser=False, site_id_collection="7")
    plain = AdministratorFactory(user_name="plain", is_superuser=False, is_locked_out=True)
    own = Administrator.objects.get(user_name="harriet")

    def rows(**query):
        return set(listed(highest, PAGE, **query))

    assert rows(rank="highest") == {own, colleague}
    assert rows(rank="sites") == {site}
    assert rows(rank="ordinary") == {plain}
    assert rows(is_locked_out__exact=1) == {plain}
    assert rows(q="plai") == {plain}
