"""The lists of what waits for the administrator, and the figures in the menu."""

import json
import random
import re

import pytest

from contents.admin import approval as waiting_pages
from contents.models import Content, ContentDraft, CustomField
from contents.services import approval
from core.lib import clock
from tests.admin.pages.browsing import place, told, undo
from tests.admin.world import administrator_with, administrator_with_every_right
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
WAITING, UNFINISHED = "waiting", "unfinished"
ALL_SITES = {"site": ""}


def rows(browser, view=WAITING, **query):
    """The contents of the list, by site and state."""
    bundles = browser.get(place(PAGE, view), query).context["bundles"]
    return [(each["site"], str(each["state"]), [row["content"].title for row in each["contents"]]) for each in bundles]


def counts(browser):
    """The figures in the menu by the ends of their addresses."""
    page = browser.get("/admin/password_change/").content.decode()
    found = re.findall(
        '<a class="menu-link" href="/admin/contents/content/(waiting|unfinished)/"[^>]*><svg.*?</svg>'
        '<span[^>]*>[^<]*</span>(?: <span class="menu-count">([^<]*))?',
        page,
    )
    return dict(found)


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


def test_the_lists_and_their_numbers_are_of_the_site_of_the_menu_unless_all_are_chosen(highest):
    one, two = (ChannelFactory(site=SiteFactory(site_name=name)) for name in ("One", "Two"))
    for channel, number in ((one, 1), (two, 2)):
        for _ in range(number):
            ContentFactory(channel=channel)
            ContentFactory(channel=channel, add_user_name="harriet", checked_level=-99)
    for view in (WAITING, UNFINISHED):
        for site, titles in ((one.site, 1), (two.site, 2), (one.site, 1)):
            highest.get(place("channels_app_channel"), {"site__id__exact": site.pk})
            page = highest.get(place(PAGE, view))
            ((name, _state, contents),) = rows(highest, view)
            assert (name, len(contents), counts(highest)[view]) == (site.site_name, titles, str(titles))
            assert page.context["list_query"] == f"site={site.pk}"
            assert f'href="{place(PAGE, view)}?site={two.site_id}"' in page.content.decode()
            assert '<a class="action-button" href="?site=">All sites</a>' in page.content.decode()
    assert [len(contents) for _site, _state, contents in rows(highest, **ALL_SITES)] == [1, 2]
    page = highest.get(place(PAGE, WAITING), ALL_SITES)
    assert (page.context["site"], page.context["list_query"]) == (None, "site=")


def test_a_site_without_waiting_contents_leaves_the_way_to_drafts_of_others(highest):
    SiteFactory(site_name="Empty")
    content = ContentFactory(is_checked=True, channel=ChannelFactory(site=SiteFactory(site_name="Full")))
    ContentDraft.objects.create(
        content=content, site_id=content.site_id, version=1, checked_level=0, edited_at=clock.now()
    )
    page = highest.get(place(PAGE, WAITING))
    assert not page.context["drafts"]
    assert "There is nothing for this site, only for other sites." in page.content.decode()
    assert len(highest.get(place(PAGE, WAITING), ALL_SITES).context["drafts"]) == 1


def test_one_site_needs_no_choice(client):
    own = ContentFactory()
    ContentFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    page = client.get(place(PAGE, WAITING))
    assert (page.context["site"], page.context["sites"], page.context["list_query"]) == (None, [], "")
    assert counts(client)[WAITING] == "1"


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
    asked = highest.get(place(PAGE, "action", "reject"), {"ids": [value, f"{two.pk}:1"], **sent})
    assert "Reject 2 content items?" in asked.content.decode()
    form = {"ids": asked.context["ids"], "from": asked.context["origin"], "list": asked.context["list_query"]}
    answer = highest.post(asked.context["action_address"], form | {"reasons": "Too long."})
    assert told(answer) == ["2 content items were rejected."]
    assert answer["Location"] == f"{place(PAGE, WAITING)}?site={one.site_id}"
    assert set(Content.objects.values_list("checked_level", flat=True)) == {-1}


def test_authors_find_their_drafts_and_why_something_was_rejected(client, highest):
    rejected = ContentFactory(title="Rejected", add_user_name="anna")
    ContentFactory(title="Draft", add_user_name="anna", checked_level=-99)
    ContentFactory(title="Of another", add_user_name="ben", checked_level=-99)
    highest.post(place(PAGE, "action", "reject"), {"ids": str(rejected.pk), "reasons": "Names <b> are wrong."})
    anna = administrator_with("contents.change_content", user_name="anna")
    client.force_login(anna)
    page = client.get(place(PAGE, UNFINISHED), ALL_SITES)
    titles = {row["content"].title for each in page.context["bundles"] for row in each["contents"]}
    assert titles == {"Rejected", "Draft"}
    assert "Names &lt;b&gt; are wrong." in page.content.decode()
    client.post(place(PAGE, "action", "hand-in"), {"ids": str(rejected.pk)})
    assert Content.objects.get(pk=rejected.pk).checked_level == 0
    assert [titles for _site, _state, titles in rows(client, UNFINISHED, **ALL_SITES)] == [["Draft"]]


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
    channel = ChannelFactory()
    for _ in range(3):
        ContentFactory(channel=channel)
    ContentFactory(channel=channel, add_user_name="harriet", checked_level=-99)
    assert counts(highest) == {WAITING: "3", UNFINISHED: "1"}
    monkeypatch.setattr(waiting_pages, "_MAX_COUNTED", 2)
    assert counts(highest)[WAITING] == "2+"


# ---- one after the other


def review(browser, content, **query):
    return browser.get(place(PAGE, "review", content.pk), query)


def decide(browser, page, name, **sent):
    """Press a button of the page, with what its form holds."""
    form = dict(re.findall('<input type="hidden" name="(ids|from|list)" value="([^"]*)"', page.content.decode()))
    return browser.post(place(PAGE, "action", name), form | sent)


def waiting_one_after_the_other(number=3):
    channel = ChannelFactory()
    return [
        ContentFactory(channel=channel, title=f"No. {n}", last_edit_date=f"2026-01-{n + 1:02} 00:00:00")
        for n in range(number)
    ]


def test_a_title_opens_the_review_and_a_box_has_a_name_of_its_own(highest):
    content = ContentFactory(title="A <b>")
    page = highest.get(place(PAGE, WAITING), {"site": content.site_id}).content.decode()
    review_place = f"{place(PAGE, 'review', content.pk)}?from=waiting&amp;list=site%3D{content.site_id}"
    assert f'<a class="headline" href="{review_place}">A &lt;b&gt;</a>' in page
    assert f'<a href="{place(PAGE, "change", content.pk)}" aria-label="Change A &lt;b&gt;">Change</a>' in page
    assert 'aria-label="Choose A &lt;b&gt;"' in page


def test_a_title_opens_the_form_of_an_unfinished_content_of_ones_own(client):
    writer = administrator_with_every_right()
    client.force_login(writer)
    draft = ContentFactory(title="Tides", checked_level=-99, add_user_name=writer.user_name)
    page = client.get(place(PAGE, UNFINISHED)).content.decode()
    assert f'<a class="headline" href="{place(PAGE, "change", draft.pk)}">Tides</a>' in page
    assert f'<a href="{place(PAGE, "review", draft.pk)}?from=unfinished&amp;list=" aria-label="Preview Tides">' in page


def test_the_list_names_who_wrote_and_not_who_edited_last(highest):
    ContentFactory(author="Ann Lee", last_edit_user_name="ben", last_edit_date="2026-01-01 00:00:00")
    ContentFactory(add_user_name="carla", last_edit_user_name="ben", last_edit_date="2026-01-02 00:00:00")
    page = highest.get(place(PAGE, WAITING), ALL_SITES).content.decode()
    assert "· Ann Lee ·" in page
    assert "· carla ·" in page
    assert "· ben ·" not in page


def test_a_review_shows_the_content_as_a_page_that_can_do_nothing(highest):
    content = ContentFactory(title="开放日", sub_title="Sub", content='<p>x</p><img src="@/b.jpg"><script>x()</script>')
    assert f'src="{place(PAGE, "shown", content.pk)}"' in review(highest, content).content.decode()
    shown = highest.get(place(PAGE, "shown", content.pk))
    assert "sandbox" in shown["Content-Security-Policy"]
    page = shown.content.decode()
    assert "<h1>开放日</h1>" in page
    assert f'<p>x</p><img src="/media/sites/{content.site_id}/b.jpg">' in page
    assert "<script>" not in page


def test_each_decision_leads_to_the_next_that_waits_and_the_last_to_the_list(highest):
    first, second, third = waiting_one_after_the_other()
    answer = decide(highest, review(highest, second), "approve")
    assert answer["Location"] == place(PAGE, "review", third.pk)
    answer = decide(highest, review(highest, third), "reject", reasons="Too long.")
    assert answer["Location"] == place(PAGE, "review", first.pk)
    assert decide(highest, review(highest, first), "approve")["Location"] == place(PAGE, WAITING)
    assert [Content.objects.get(pk=each.pk).is_checked for each in (first, second, third)] == [True, True, False]
    undone = undo(highest, answer)
    assert undone["Location"] == place(PAGE, "review", third.pk)


def test_the_next_is_of_the_site_to_which_the_list_was_narrowed(highest):
    one, other = ContentFactory(), ContentFactory()
    page = review(highest, one, list=f"site={one.site_id}")
    assert page.context["following"] is None
    assert decide(highest, page, "approve")["Location"] == f"{place(PAGE, WAITING)}?site={one.site_id}"
    assert review(highest, one).context["following"] == other


def test_a_rejection_without_reasons_asks_for_them_and_leads_back_to_the_review(highest):
    content = ContentFactory()
    asked = decide(highest, review(highest, content), "reject")
    assert asked.status_code == 200
    assert asked.context["form"].errors["reasons"]
    assert asked.context["back"] == place(PAGE, "review", content.pk)
    assert Content.objects.get(pk=content.pk).checked_level == 0


def test_what_somebody_has_changed_meanwhile_stays_in_review(highest):
    first, _second = waiting_one_after_the_other(2)
    page = review(highest, first)
    Content.objects.filter(pk=first.pk).update(version=2)
    answer = decide(highest, page, "approve")
    assert answer["Location"] == place(PAGE, "review", first.pk)
    assert not Content.objects.get(pk=first.pk).is_checked


def test_what_a_text_could_do_is_named_and_what_else_belongs_to_it_is_told(highest):
    site = SiteFactory()
    field = CustomField.objects.create(site=site, name="venue", folded_name="venue", label="Venue")
    body = '<script>x()</script><p onclick="y()">a</p><iframe src=https://films.example/1?a=1&amp;b=2></iframe>'
    content = ContentFactory(
        channel=ChannelFactory(site=site),
        content=body,
        link_url="https://elsewhere.example/",
        tags="ferry",
        settings_xml=json.dumps({field.name: "Pier 2"}),
    )
    page = review(highest, content).content.decode()
    (warning,) = re.findall('<p class="review-warning".*?</p>', page, re.DOTALL)
    assert "script" in warning
    assert "onclick" in warning
    assert f'href="{place(PAGE, "body", content.pk)}"' in warning
    told = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert told == {
        "Link": "https://elsewhere.example/",
        "Tags": "ferry",
        "Venue": "Pier 2",
        "Embedded pages": "https://films.example/1?a=1&amp;b=2",
    }
    harmless = review(highest, ContentFactory(content="<p>b</p>")).content.decode()
    assert "review-warning" not in harmless
    assert "<dt>" not in harmless


def test_a_review_tells_the_reasons_of_the_last_decision(highest):
    content = ContentFactory()
    decide(highest, review(highest, content), "reject", reasons="Too long.")
    assert "Reasons: Too long." in review(highest, content, **{"from": "unfinished"}).content.decode()


def test_a_decision_that_comes_too_late_says_so_and_loses_no_reasons(highest):
    first, _second = waiting_one_after_the_other(2)
    page = review(highest, first)
    decide(highest, page, "approve")
    answer = decide(highest, page, "reject", reasons="Wrong date.")
    assert answer["Location"] == place(PAGE, "review", first.pk)
    told = highest.get(answer["Location"]).content.decode()
    assert "Another user has decided on “No. 0” since you opened it: Approved. Nothing was changed." in told
    assert "Your reasons were: Wrong date." in told
    assert Content.objects.get(pk=first.pk).is_checked


def test_a_content_that_went_to_the_trash_leads_back_to_the_list(highest):
    content = ContentFactory()
    page = review(highest, content, list=f"site={content.site_id}")
    Content.objects.filter(pk=content.pk).update(trashed_at=clock.now())
    answer = decide(highest, page, "approve")
    assert answer["Location"] == f"{place(PAGE, WAITING)}?site={content.site_id}"
    assert "no longer exists" in highest.get(answer["Location"]).content.decode()


def test_following_the_next_one_visits_all_that_wait_in_their_order():
    chance = random.Random(7)
    for _ in range(3):
        site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 3})
        channel = ChannelFactory(site=site)
        for _ in range(12):
            day = f"2026-01-0{chance.randint(1, 3)} 00:00:00"
            ContentFactory(channel=channel, checked_level=chance.randint(0, 2), last_edit_date=day)
    for user in (AdministratorFactory(), administrator_with("contents.approve2_content")):
        waiting = approval.waiting_for(user)
        numbers = [content.pk for content in waiting]
        assert len(numbers) > 10
        followed = [approval.next_of(waiting, content).pk for content in waiting]
        assert followed == [*numbers[1:], numbers[0]]


def test_a_review_offers_what_one_may_decide(client):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    low, high = (ContentFactory(channel=ChannelFactory(site=site), checked_level=level) for level in (0, 1))
    client.force_login(administrator_with("contents.approve1_content", "contents.view_content"))
    page = review(client, low)
    assert [str(action.label) for action in page.context["admin_actions"]] == ["Approve up to level 1", "Reject"]
    assert "Nothing here needs your approval." in review(client, high).content.decode()
    assert decide(client, page, "approve")["Location"] == place(PAGE, WAITING)
    client.force_login(AdministratorFactory(is_superuser=False))
    assert [client.get(place(PAGE, view, low.pk)).status_code for view in ("review", "shown")] == [404, 404]


def test_a_preview_of_a_draft_of_ones_own_offers_to_hand_it_in(client):
    draft = ContentFactory(add_user_name="anna", checked_level=-99)
    client.force_login(administrator_with("contents.change_content", user_name="anna"))
    page = review(client, draft, **{"from": UNFINISHED})
    assert [action.name for action in page.context["admin_actions"]] == ["hand-in"]
    assert decide(client, page, "hand-in")["Location"] == place(PAGE, UNFINISHED)
    assert Content.objects.get(pk=draft.pk).checked_level == 0


def test_a_review_costs_few_statements(highest, django_assert_max_num_queries):
    first, *_others = waiting_one_after_the_other(20)
    with django_assert_max_num_queries(18):
        review(highest, first)


def test_nothing_waits_is_told(highest):
    assert "Nothing is waiting for your approval." in highest.get(place(PAGE, WAITING)).content.decode()
    assert "You have no drafts" in highest.get(place(PAGE, UNFINISHED)).content.decode()


def test_the_list_costs_the_same_for_any_number(highest, django_assert_max_num_queries):
    for _ in range(20):
        ContentFactory()
    with django_assert_max_num_queries(12):
        highest.get(place(PAGE, WAITING))
