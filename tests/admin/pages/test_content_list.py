"""The list of contents: filters, orders, pages, and the tree of sites and channels."""

import re
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.admin.list import channels, filter_bar, finding, sources
from contents.models import Content, ContentDraft, ContentGroup, ContentTag
from core.admin import paging
from core.lib.statement_limit import TooSlow
from tests.admin.pages.browsing import listed, place
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


def day(number):
    return datetime(2026, 5, number, 12)


@pytest.mark.parametrize("few", [0, 20_000])
def test_each_filter_narrows_the_list(highest, monkeypatch, few):
    monkeypatch.setattr(finding, "FEW", few)
    contents = {
        "draft": ContentFactory(checked_level=-99, add_date=day(1), last_edit_date=day(5)),
        "waiting": ContentFactory(checked_level=0, author="Ann", add_date=day(2), last_edit_date=day(4)),
        "passed": ContentFactory(checked_level=2, tags="t,u", add_date=day(3), last_edit_date=day(3)),
        "rejected": ContentFactory(checked_level=-2, group_name_collection="g", add_date=day(4), last_edit_date=day(2)),
        "approved": ContentFactory(is_checked=True, is_color=True, add_date=day(5), last_edit_date=day(1)),
    }
    for state, content in contents.items():
        assert listed(highest, PAGE, state=state) == [content]
    for query, states in (
        ({"state": "pending"}, {"draft", "waiting", "passed", "rejected"}),
        ({"author": "Ann"}, {"waiting"}),
        ({"author": "An"}, set()),
        ({"tag": "t"}, {"passed"}),
        ({"tag": "nothing"}, set()),
        ({"group": "g"}, {"rejected"}),
        ({"is_color__exact": "1"}, {"approved"}),
        ({"is_color__exact": "0", "state": "draft"}, {"draft"}),
        ({"added_from": "2026-05-02", "added_to": "2026-05-03"}, {"waiting", "passed"}),
        ({"edited_from": "2026-05-04"}, {"draft", "waiting"}),
        ({"edited_to": "2026-05-01"}, {"approved"}),
        ({"added_from": "2026-05-02", "edited_from": "2026-05-04"}, {"waiting"}),
        ({"state": "nonsense"}, set()),
        ({"added_from": "yesterday"}, set()),
        ({"added_to": "9999-12-31"}, set(contents)),
        ({"site__id__exact": str(10**30)}, set()),
        ({"channel__id__exact": "-1"}, set()),
    ):
        assert set(listed(highest, PAGE, **query)) == {contents[state] for state in states}, query


def test_the_list_tells_who_wrote_a_content_and_beside_its_date_who_edited_it_last(highest):
    channel = ChannelFactory()
    people = {"add_user_name": "anna", "last_edit_user_name": "ben"}
    ContentFactory(channel=channel, author="Ann Lee", last_edit_date=day(2), **people)
    ContentFactory(channel=channel, last_edit_date=day(1), **people)
    page = highest.get(place(PAGE)).content.decode()
    assert re.findall('<td class="field-written_by">(.*?)</td>', page) == ["Ann Lee", "anna"]
    edited = re.findall('<td class="field-edited nowrap">(.*?)</td>|<td class="field-edited">(.*?)</td>', page)
    assert ["ben" in "".join(cell) for cell in edited] == [True, True]


def draft_of(content, edited_at, level=-99):
    values = {"version": 1, "checked_level": level, "editor": "mia", "edited_at": edited_at}
    return ContentDraft.objects.create(content=content, site_id=content.site_id, **values)


@pytest.mark.parametrize("few", [0, 20_000])
def test_a_draft_that_is_later_is_the_last_change(highest, monkeypatch, few):
    monkeypatch.setattr(finding, "FEW", few)
    channel, others = ChannelFactory(), {"author": "Ann", "last_edit_user_name": "ben", "is_checked": True}
    first, second, third, last = (
        ContentFactory(channel=channel, last_edit_date=day(number), **others) for number in (7, 5, 4, 2)
    )
    draft_of(last, day(6))
    draft_of(third, day(3))
    elsewhere = ContentFactory(last_edit_date=day(1), **others)
    edited = list(highest.get(place(PAGE)).context["cl"].list_display).index("edited")
    for query in ({}, {"author": "Ann"}, {"q": "title"}, {"edited_from": "2026-05-01"}, {"state": "approved"}):
        for order, wanted in (
            ("", [first, last, second, third, elsewhere]),
            (str(edited), [third, second, last, first]),
        ):
            chosen = query | ({"o": order, "site__id__exact": channel.site_id} if order else {})
            assert listed(highest, PAGE, **chosen) == wanted, chosen
    page = highest.get(place(PAGE)).content.decode()
    cells = re.findall('<td class="field-edited.*?</td>', page)
    assert ["mia" in cell for cell in cells] == [False, True, False, False, False]
    assert "2026-05-06" in cells[1]


def walking(browser, **query):
    """The statement that finds the page by walking along the list."""
    with CaptureQueriesContext(connection) as captured:
        browser.get(place(PAGE), query)
    (statement,) = [query["sql"] for query in captured if query["sql"].startswith("SELECT id FROM (SELECT * FROM (")]
    return statement


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite walks in any case")
def test_postgresql_expects_a_full_page_of_a_common_tag(highest, monkeypatch):
    monkeypatch.setattr(finding, "FEW", 0)
    ContentFactory.create_batch(40, channel=ChannelFactory(), tags="t")
    statement = walking(highest, tag="t")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE contents_content")
        cursor.execute(f"EXPLAIN {statement}")
        plan = str(cursor.fetchall())
    # Otherwise it reads all contents of a large site and sorts them.
    assert int(re.search(r"contents_content .*?rows=(\d+)", plan)[1]) > 30


def test_contents_and_drafts_by_their_last_change_are_read_from_indexes(highest, monkeypatch):
    monkeypatch.setattr(finding, "FEW", 0)
    draft_of(ContentFactory(is_checked=True), day(1))
    statement = walking(highest)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # few rows are read whole, and sorted
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        cursor.execute(f"EXPLAIN {'' if connection.vendor == 'postgresql' else 'QUERY PLAN'} {statement}")
        plan = str(cursor.fetchall())
    assert "content_last_edited" in plan
    assert "content_draft_edited" in plan


def test_a_badge_says_how_far_a_draft_is(highest):
    for level, told in ((-99, "Draft"), (0, "Draft waiting"), (1, "Draft waiting"), (-1, "Draft rejected")):
        content = ContentFactory(is_checked=True)
        draft_of(content, day(1), level)
        page = highest.get(place(PAGE)).content.decode()
        assert f'href="{place(PAGE, "draft", content.pk)}">{told}</a>' in page


def test_the_order_is_chosen_by_column_or_as_on_the_site(highest):
    channel = ChannelFactory()
    make = {"channel": channel}
    one = ContentFactory(title="B", taxis=1, hits=5, add_date=day(1), last_edit_date=day(3), **make)
    two = ContentFactory(title="C", taxis=2, hits=7, add_date=day(3), last_edit_date=day(1), **make)
    three = ContentFactory(title="A", taxis=3, hits=6, add_date=day(2), last_edit_date=day(2), is_top=True, **make)
    shown = highest.get(place(PAGE)).context
    columns = {name: number for number, name in enumerate(shown["cl"].list_display)}
    for order, wanted in (
        (None, [one, three, two]),
        (f"-{columns['edited']}", [one, three, two]),
        (f"{columns['edited']}", [two, three, one]),
        (f"-{columns['added']}", [two, three, one]),
        (f"{columns['headline']}", [three, one, two]),
        (f"-{columns['hits_shown']}", [two, three, one]),
        ("site", [three, two, one]),
    ):
        assert listed(highest, PAGE, **({"o": order} if order else {})) == wanted, order
        for query in ({"channel__id__exact": channel.pk}, {"site__id__exact": channel.site_id}, {"state": "pending"}):
            assert listed(highest, PAGE, **query, **({"o": order} if order else {})) == wanted, (order, query)


def test_the_order_by_hits_is_a_filter_that_a_chip_removes(highest):
    read, unread = ContentFactory(hits=5), ContentFactory()
    assert listed(highest, PAGE, o="-7", state="pending") == [read]
    shown = highest.get(place(PAGE), {"o": "-7", "state": "pending"}).context
    _state, hits = shown["bar"]["chips"]
    assert (str(hits.label), str(hits.value), hits.without) == ("Views", "at least 1", "?state=pending")
    assert shown["cl"].clear_all_filters_qs == "?"
    read.delete()
    page = highest.get(place(PAGE), {"o": "-7"}).content.decode()
    assert "No items match." in page
    assert unread.title not in page and not highest.get(place(PAGE)).context["bar"]["chips"]


def test_pages_follow_one_another_and_rows_are_remembered(highest):
    channel = ChannelFactory()
    made = [ContentFactory(channel=channel, last_edit_date=datetime(2026, 1, 1, 0, number)) for number in range(25)]
    first, second = listed(highest, PAGE, rows="20"), listed(highest, PAGE, p="2")
    assert first + second == made[::-1]
    assert len(first) == 20
    assert listed(highest, PAGE, p="7") == first
    assert listed(highest, PAGE, p="x", rows="1000000") == first
    assert len(listed(highest, PAGE, rows="50")) == 25


@pytest.mark.parametrize("order", ["", "site", "-6"])
def test_exact_totals_and_pages_at_any_depth_where_lists_know_them(highest, monkeypatch, order):
    monkeypatch.setattr(paging, "MAX", 20)
    channel = ChannelFactory()
    ContentFactory.create_batch(45, channel=channel)
    shown = highest.get(place(PAGE), {"rows": "20", "o": order, "channel__id__exact": channel.pk}).context
    assert shown["bar"]["total"] == "45 content items"
    columns = shown["cl"].list_display
    is_walked = not order or (order != "site" and columns[int(order[1:])] != "added")
    assert shown["cl"].paginator.num_pages == (1 if is_walked else 3)


def test_chips_tell_what_is_chosen_and_lead_to_the_list_without_it(highest):
    content = ContentFactory()
    query = {"site__id__exact": content.site_id, "channel__id__exact": content.channel_id, "q": "x", "p": "2"}
    chips = {str(chip.label): chip for chip in highest.get(place(PAGE), query).context["bar"]["chips"]}
    assert list(chips) == ["Words", "Site", "Channel"]
    assert chips["Channel"].value == content.channel.channel_name
    assert chips["Words"].without == f"?site__id__exact={content.site_id}&channel__id__exact={content.channel_id}"
    assert chips["Site"].without == "?q=x"  # a channel belongs to a site


@pytest.mark.parametrize(
    ("query", "chip"),
    [
        ({"is_top__exact": "1"}, ("pinned", "")),
        ({"is_top__exact": "0"}, ("pinned", "no")),
        ({"is_checked__exact": "1"}, ("State", "Approved")),
        ({"is_checked__exact": "0"}, ("State", "Not approved")),
        ({"added_from": "2026-05-03"}, ("Date from", "2026-05-03")),
        ({"edited_to": "2026-05-03"}, ("Edited until", "2026-05-03")),
    ],
)
def test_a_chip_shows_its_filter_in_words(highest, query, chip):
    (shown,) = highest.get(place(PAGE), query).context["bar"]["chips"]
    assert (str(shown.label), str(shown.value)) == chip


def test_an_empty_list_says_what_to_do(highest):
    page = highest.get(place(PAGE), {"author": "Nobody"}).content.decode()
    assert "No items match." in page
    assert "Clear filters" in page
    assert "There are no content items yet." in highest.get(place(PAGE)).content.decode()


@pytest.mark.parametrize(
    ("start", "end", "is_told"), [("2026-05-03", "2026-05-02", True), ("2026-05-03", "2026-05-03", False)]
)
def test_dates_that_are_turned_round_are_told(highest, start, end, is_told):
    ContentFactory(add_date=day(9))
    for name in ("added", "edited"):
        page = highest.get(place(PAGE), {f"{name}_from": start, f"{name}_to": end}).content.decode()
        assert ("The date “from” is later than the date “until”." in page) is is_told


def test_a_list_that_takes_too_long_says_so(highest, monkeypatch):
    def search(*arguments):
        raise TooSlow

    monkeypatch.setattr(finding.Search, "_page", search)
    ContentFactory()
    answer = highest.get(place(PAGE))
    assert answer.status_code == 200
    assert "The search takes too long." in answer.content.decode()


def test_acts_and_tables_see_what_the_filters_leave(highest):
    wanted, other = ContentFactory(title="Harbour", tags="t"), ContentFactory(title="Museum", tags="t")
    asked = highest.post(
        place(PAGE) + "?q=harb&tag=t&o=site", {"action": "trash", "_selected_action": [wanted.pk, other.pk]}
    )
    assert [record.pk for record, _about in asked.context["records"]] == [wanted.pk]


def test_a_site_administrator_sees_own_sites_in_list_and_tree(client):
    own, other, third = ContentFactory(title="own"), ContentFactory(title="other"), ContentFactory(title="third")
    sites = f"{own.site_id},{third.site_id}"
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=sites))
    assert set(listed(client, PAGE)) == {own, third}
    assert listed(client, PAGE, site__id__exact=other.site_id) == []
    assert listed(client, PAGE, channel__id__exact=other.channel_id) == []
    assert listed(client, PAGE, q="other") == []
    tree = client.get(place(PAGE, "tree")).json()
    assert [item["id"] for item in tree["items"]] == sorted([own.site_id, third.site_id])
    assert client.get(place(PAGE, "tree"), {"parent": other.site_id}).status_code == 404


def test_of_many_sites_the_newest_contents_come_first(highest, monkeypatch):
    monkeypatch.setattr("contents.admin.list.change_list._MAX_SITES", 1)
    contents = [ContentFactory(tags="t", author="Ann") for _ in range(3)]
    assert listed(highest, PAGE, o="-1") == contents[::-1]
    assert set(listed(highest, PAGE)) == set(contents)
    assert set(listed(highest, PAGE, tag="t", author="Ann", state="pending")) == set(contents)


def test_the_tree_shows_names_counts_and_what_lies_below(highest, monkeypatch):
    site = SiteFactory(site_name="Harbour")
    first, second = ChannelFactory(site=site), ChannelFactory(site=site)
    ContentFactory(channel=ChannelFactory(parent=first, channel_name="<b>Below</b>"))
    ContentFactory(channel=first, trashed_at="2026-01-01 00:00:00")
    (top,) = highest.get(place(PAGE, "tree")).json()["items"]
    assert (top["name"], top["count"], top["hasChildren"]) == ("Harbour", 1, True)
    monkeypatch.setattr(channels, "MAX", 1)
    one = highest.get(place(PAGE, "tree"), {"parent": site.pk}).json()
    assert [(item["id"], item["count"], item["hasChildren"]) for item in one["items"]] == [(first.pk, 1, True)]
    two = highest.get(place(PAGE, "tree"), {"parent": site.pk, "after": one["more"]}).json()
    assert [(item["id"], item["count"]) for item in two["items"]] == [(second.pk, 0)]
    assert two["more"] is None


@pytest.mark.parametrize("parent", ["0", "x", "", "-1", "9" * 30])
def test_the_tree_of_nothing_is_404(highest, parent):
    assert highest.get(place(PAGE, "tree"), {"parent": parent}).status_code == 404


def test_a_chosen_channel_offers_to_add_there(highest):
    content = ContentFactory()
    page = highest.get(place(PAGE), {"channel__id__exact": content.channel_id}).content.decode()
    assert f'href="{place(PAGE, "add")}?channel={content.channel_id}"' in page
    # No button beside it leads to a form that asks for the channel again.
    assert page.count(f'href="{place(PAGE, "add")}?') == 1
    assert f"?channel={content.channel_id}" not in highest.get(place(PAGE)).content.decode()


def test_the_list_costs_few_statements(highest, django_assert_max_num_queries):
    content = ContentFactory(group_name_collection="g", tags="t", author="Ann")
    ContentFactory.create_batch(30)
    query = {"q": "a", "tag": "t", "group": "g", "author": "Ann", "site__id__exact": content.site_id}
    with django_assert_max_num_queries(29):
        highest.get(place(PAGE), query)
    assert Content.objects.count() == 31


# Lists of up to 100 sites are read one by one; a bound of 8 shows the same with fewer sites.
@pytest.mark.parametrize(
    ("order", "bound", "number"),
    [*((order, 8, number) for order in ("", "added", "site") for number in (6, 12)), ("", 100, 260)],
)
def test_a_group_or_tag_of_however_many_sites_leaves_nothing_out(highest, monkeypatch, order, bound, number):
    monkeypatch.setattr(sources, "_MAX_ONE_BY_ONE", bound)
    content = ContentFactory(group_name_collection="news", tags="sea", is_checked=True)
    other = ContentFactory(add_date=day(1), group_name_collection="news", tags="sea")
    between = [SiteFactory() for _ in range(number - 3)]
    ContentGroup.objects.bulk_create(ContentGroup(site=site, group_name="news") for site in between)
    ContentTag.objects.bulk_create(ContentTag(site=site, tag_name="sea") for site in between)
    last = ContentFactory(add_date=day(2), group_name_collection="news", tags="sea")
    ContentFactory(group_name_collection="olds", tags="land")
    columns = {name: str(-n) for n, name in enumerate(highest.get(place(PAGE)).context["cl"].list_display)}
    chosen = {"o": columns.get(order, order)} if order else {}
    for query in ({"group": "news"}, {"tag": "sea"}, {"group": "news", "tag": "sea"}, {"group": "news", "q": "title"}):
        assert set(listed(highest, PAGE, **query, **chosen)) == {content, other, last}
    assert listed(highest, PAGE, group="news", state="approved", **chosen) == [content]


@pytest.mark.parametrize("order", ["", "-2", "site"])
def test_a_name_that_nobody_has_lists_nothing_in_any_order(highest, order):
    ContentFactory()
    assert listed(highest, PAGE, group="nothing", o=order) == []


def test_a_chosen_site_keeps_its_name_among_many(highest):
    sites = [SiteFactory(site_name=f"Quay {number:03}") for number in range(102)]
    answer = highest.get(place(PAGE), {"site__id__exact": sites[-1].pk})
    assert [chip.value for chip in answer.context["bar"]["chips"]] == ["Quay 101"]
    assert f'<option value="{sites[-1].pk}" selected>Quay 101</option>' in answer.content.decode()


@pytest.mark.parametrize(("groups", "chosen", "is_told"), [(4, "", False), (5, "", True), (5, "g4", False)])
def test_groups_that_are_not_offered_are_told_of(highest, monkeypatch, groups, chosen, is_told):
    monkeypatch.setattr(filter_bar, "MAX", 4)
    site = SiteFactory()
    names = [f"g{number}" for number in range(groups)]
    ContentGroup.objects.bulk_create(ContentGroup(site=site, group_name=n, taxis=t) for t, n in enumerate(names))
    page = highest.get(place(PAGE), {"site__id__exact": site.pk, "group": chosen}).content.decode()
    assert ("Only the first groups are shown." in page) == is_told
    assert page.count('<option value="g') == groups - is_told
    assert not chosen or f'<option value="{chosen}" selected>' in page


@pytest.mark.parametrize("order", ["", "site"])
def test_a_foreign_channel_has_no_number_of_contents(client, order):
    own = ContentFactory()
    foreign = ChannelFactory()
    ContentFactory.create_batch(7, channel=foreign)
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    query = {"channel__id__exact": foreign.pk} | ({"o": order} if order else {})
    shown = client.get(place(PAGE), query).context["cl"]
    assert (shown.result_count, list(shown.result_list)) == (0, [])
