"""The lists of what waits for the administrator, and the figures in the menu."""

import re

import pytest

from contents.desk import waiting_pages
from contents.models import Content
from tests.back_end.pages.browsing import place, told
from tests.back_end.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
WAITING, UNFINISHED = "waiting", "unfinished"


def rows(browser, view=WAITING, **query):
    """The contents of the list, by site and state."""
    bundles = browser.get(place(PAGE, view), query).context["bundles"]
    return [(each.site, str(each.state), [row.content.title for row in each.contents]) for each in bundles]


def counts(browser):
    """The figures in the menu by the ends of their addresses."""
    page = browser.get("/admin/password_change/").content.decode()
    found = re.findall(
        '<a class="menu-link" href="/admin/contents/content/(waiting|unfinished)/"[^>]*>[^<]*(<span[^>]*>([^<]*))?',
        page,
    )
    return {name: number for name, _span, number in found}


def test_contents_wait_by_site_and_level_the_oldest_first(highest):
    site = SiteFactory(site_name="Port", settings={"isCheckContentLevel": True, "checkContentLevel": 3})
    channel = ChannelFactory(site=site)
    ContentFactory(channel=channel, title="New", last_edit_date="2026-02-01 00:00:00")
    ContentFactory(channel=channel, title="Old", last_edit_date="2026-01-01 00:00:00")
    ContentFactory(channel=channel, title="Further", checked_level=1)
    assert rows(highest) == [
        ("Port", "Waiting for approval", ["Old", "New"]),
        ("Port", "Passed level 1", ["Further"]),
    ]


def test_a_site_administrator_decides_on_own_sites(client):
    own, _other = ContentFactory(title="Own"), ContentFactory(title="Foreign")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert [titles for _site, _state, titles in rows(client)] == [["Own"]]
    assert rows(client, site=_other.site_id) == []


def test_groups_decide_up_to_their_level(client):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 3})
    for level in (0, 1, 2):
        ContentFactory(channel=ChannelFactory(site=site), title=f"At {level}", checked_level=level)
    client.force_login(administrator_with("contents.approve2_content"))
    assert [titles for _site, _state, titles in rows(client)] == [["At 0"], ["At 1"]]


def test_nobody_is_no_name_in_the_list(highest):
    content = ContentFactory(last_edit_user_name="", add_user_name="")
    assert f"{content.channel} · <time" in highest.get(place(PAGE, "waiting")).content.decode()


def test_the_list_can_be_narrowed_to_a_site(highest):
    one, _two = ContentFactory(title="One"), ContentFactory(title="Two")
    assert len(highest.get(place(PAGE, WAITING)).context["sites"]) == 2
    assert [titles for _site, _state, titles in rows(highest, site=one.site_id)] == [["One"]]
    assert len(rows(highest, site="x")) == 2


def test_a_long_list_has_pages(highest, monkeypatch):
    monkeypatch.setattr(waiting_pages, "PAGE", 2)
    channel = ChannelFactory()
    for number in range(3):
        ContentFactory(channel=channel, title=str(number), last_edit_date=f"2026-01-0{number + 1} 00:00:00")
    assert [titles for _site, _state, titles in rows(highest)] == [["0", "1"]]
    assert f"?page={2}" in highest.get(place(PAGE, WAITING)).content.decode()
    assert [titles for _site, _state, titles in rows(highest, page="2")] == [["2"]]
    assert rows(highest, page="7") == []
    assert highest.get(place(PAGE, WAITING), {"page": "201"}).status_code == 404


def test_what_is_ticked_is_decided_on_and_one_comes_back(highest):
    one, two = ContentFactory(title="One"), ContentFactory(title="Two")
    page = highest.get(place(PAGE, WAITING), {"site": one.site_id}).content.decode()
    (value,) = re.findall('name="ids"[^>]*value="([^"]*)"', page)
    assert value == f"{one.pk}:1"
    sent = {"from": WAITING, "list": f"site={one.site_id}"}
    asked = highest.get(place(PAGE, "act", "reject"), {"ids": [value, f"{two.pk}:1"], **sent})
    assert "Reject 2 contents?" in asked.content.decode()
    form = {"ids": asked.context["ids"], "from": asked.context["origin"], "list": asked.context["list_query"]}
    answer = highest.post(asked.context["action_address"], form | {"reasons": "Too long."})
    assert told(answer) == ["2 contents were rejected."]
    assert answer["Location"] == f"{place(PAGE, WAITING)}?site={one.site_id}"
    assert set(Content.objects.values_list("checked_level", flat=True)) == {-1}


def test_authors_find_their_drafts_and_why_something_was_rejected(client, highest):
    rejected = ContentFactory(title="Rejected", add_user_name="anna")
    ContentFactory(title="Draft", add_user_name="anna", checked_level=-99)
    ContentFactory(title="Of another", add_user_name="ben", checked_level=-99)
    highest.post(place(PAGE, "act", "reject"), {"ids": str(rejected.pk), "reasons": "Names <b> are wrong."})
    anna = administrator_with("contents.change_content", user_name="anna")
    client.force_login(anna)
    page = client.get(place(PAGE, UNFINISHED))
    assert {row.content.title for each in page.context["bundles"] for row in each.contents} == {"Rejected", "Draft"}
    assert "Names &lt;b&gt; are wrong." in page.content.decode()
    client.post(place(PAGE, "act", "hand-in"), {"ids": str(rejected.pk)})
    assert Content.objects.get(pk=rejected.pk).checked_level == 0
    assert [titles for _site, _state, titles in rows(client, UNFINISHED)] == [["Draft"]]


@pytest.mark.parametrize(
    ("right", "status"),
    [
        ("view", (404, 404)),
        ("change", (404, 200)),
        ("approve", (200, 404)),
        ("approve1", (200, 404)),
        ("delete", (404, 404)),
    ],
)
def test_each_list_belongs_to_who_can_do_something_with_it(client, right, status):
    client.force_login(administrator_with(f"contents.{right}_content"))
    found = tuple(client.get(place(PAGE, view)).status_code for view in (WAITING, UNFINISHED))
    assert found == status
    assert set(counts(client)) == {
        view for view, each in zip((WAITING, UNFINISHED), status, strict=True) if each == 200
    }


def test_the_menu_tells_how_much_waits(highest, monkeypatch):
    assert counts(highest) == {WAITING: "", UNFINISHED: ""}
    for _ in range(3):
        ContentFactory()
    ContentFactory(add_user_name="harriet", checked_level=-99)
    assert counts(highest) == {WAITING: "3", UNFINISHED: "1"}
    monkeypatch.setattr(waiting_pages, "_MOST_COUNTED", 2)
    assert counts(highest)[WAITING] == "2+"


def test_nothing_waits_is_told(highest):
    assert "Nothing waits for you." in highest.get(place(PAGE, WAITING)).content.decode()
    assert "You have no drafts" in highest.get(place(PAGE, UNFINISHED)).content.decode()


def test_the_list_costs_the_same_for_any_number(highest, django_assert_max_num_queries):
    for _ in range(20):
        ContentFactory()
    with django_assert_max_num_queries(12):
        highest.get(place(PAGE, WAITING))
