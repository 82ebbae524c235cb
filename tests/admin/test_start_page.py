"""The start page: what has happened, what may be done here, and what comes first."""

import re
import shutil
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from contents.models import Content, ContentChange, ContentDraft, ContentSchedule
from contents.services.single import trash_content
from core.admin import start
from core.admin.formatting import moment_markup, tell_moment
from core.admin.start import Bar, Chart
from core.lib import clock
from core.operation.models import Node
from tests.admin.world import administrator_with
from tests.factories import (
    AdministratorFactory,
    ApiKeyFactory,
    ChannelFactory,
    ContentFactory,
    SiteFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


def titles(answer, name):
    return [str(card.title) for card in answer.context[name]]


def panel(answer, name):
    return next(each for each in answer.context["panels"] if each.name == name)


def figures(answer, name):
    return {str(figure.label): str(figure.value) for figure in panel(answer, name).figures}


@pytest.fixture
def site_administrator(client):
    """A browser of an administrator of one site."""
    site = SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)))
    client.site = site
    return client


def test_the_highest_rank_is_led_to_its_first_key(highest):
    answer = highest.get("/admin/")
    assert "Issue an API key" in titles(answer, "first_steps")
    assert {"Contents", "Sites", "API keys", "Administrators"} <= set(titles(answer, "cards"))


def test_a_site_administrator_has_cards_for_their_sites_only(site_administrator):
    answer = site_administrator.get("/admin/")
    assert titles(answer, "first_steps") == ["Add the first content item"]
    assert {"Contents", "Channels", "Sites"} <= set(titles(answer, "cards"))
    assert not {"API keys", "Administrators", "Audit"} & set(titles(answer, "cards"))
    assert not {"system", "keys"} & {each.name for each in answer.context["panels"]}


def test_who_writes_is_led_to_writing(site_administrator):
    add = "/admin/contents/content/add/"
    answer = site_administrator.get("/admin/")
    assert answer.context["first_steps"][0].url == add
    assert answer.context["buttons"] == [("Add content", add)]
    ContentFactory(channel=ChannelFactory(site=site_administrator.site))
    answer = site_administrator.get("/admin/")
    assert (titles(answer, "first_steps"), answer.context["buttons"]) == ([], [("Add content", add)])


def card(answer, title):
    (found,) = (card for card in answer.context["cards"] if str(card.title) == title)
    return found


def test_the_card_of_channels_leads_to_the_tree(site_administrator, client):
    answer = site_administrator.get("/admin/")
    assert card(answer, "Channels").url == f"/admin/channels_app/channel/site/{site_administrator.site.pk}/"
    assert str(card(answer, "Sites").sentence) == "Set how your sites work."


def test_the_card_of_sites_promises_those_who_only_look_no_settings(client):
    client.force_login(administrator_with("cms_sites.view_site"))
    assert str(card(client.get("/admin/"), "Sites").sentence) == "See how your sites are set up."


def test_who_only_looks_is_not_led_to_writing(client):
    client.force_login(administrator_with("contents.view_content"))
    answer = client.get("/admin/")
    assert (titles(answer, "first_steps"), answer.context["buttons"]) == ([], [])
    (card,) = (card for card in answer.context["cards"] if str(card.title) == "Contents")
    assert "Add" not in str(card.sentence)


def test_without_a_site_the_first_step_is_to_make_one(highest):
    assert titles(highest.get("/admin/"), "first_steps")[0] == "Create the first site"


def test_jobs_have_a_card_for_who_may_see_them(highest, client):
    assert "Jobs" in titles(highest.get("/admin/"), "cards")
    client.force_login(administrator_with("contents.view_content"))
    assert "Jobs" not in titles(client.get("/admin/"), "cards")


@pytest.mark.parametrize(("name", "shown"), [("Harriet Lund", "Harriet Lund"), ("", "harriet")])
def test_it_greets_by_the_name_that_there_is(client, name, shown):
    client.force_login(AdministratorFactory(user_name="harriet", display_name=name))
    assert f"<h1>Welcome, {shown}</h1>" in client.get("/admin/").content.decode()


def test_contents_are_counted_by_their_state(highest):
    channel = ChannelFactory()
    gone = ContentFactory(channel=channel)
    for approved in (True, True, False):
        ContentFactory(channel=channel, is_checked=approved)
    trash_content(channel.site_id, channel.pk, gone.pk)
    expected = {"in all": "3", "approved": "2", "not approved": "1", "in the trash": "1"}
    assert figures(highest.get("/admin/"), "contents") == expected


def test_figures_are_those_of_ones_own_sites(site_administrator):
    ContentFactory(title="Elsewhere")
    ContentFactory(channel=ChannelFactory(site=site_administrator.site), title="At home", hits=3)
    ContentFactory(title="Read elsewhere", hits=9)
    answer = site_administrator.get("/admin/")
    assert figures(answer, "contents")["in all"] == "1"
    assert [row.title for row in panel(answer, "changed").rows] == ["At home"]
    assert [row.title for row in panel(answer, "read").rows] == ["At home"]


def test_what_changed_last_and_what_is_read_most_stand_first(highest):
    channel, now = ChannelFactory(), clock.now()
    for number in range(8):
        ContentFactory(
            channel=channel,
            title=f"Quay {number}",
            hits=number,
            last_edit_date=now - timedelta(hours=number),
            last_edit_user_name="harriet",
        )
    other = ContentFactory(title="Lock", last_edit_date=now - timedelta(minutes=30), hits=100)
    answer = highest.get("/admin/")
    changed, read = panel(answer, "changed").rows, panel(answer, "read").rows
    assert [row.title for row in changed] == ["Quay 0", "Lock", "Quay 1", "Quay 2", "Quay 3"]
    assert changed[0].note.startswith("harriet, ")
    assert [row.title for row in read] == ["Lock", "Quay 7", "Quay 6", "Quay 5", "Quay 4"]
    assert changed[1].url == f"/admin/contents/content/{other.pk}/change/"


def test_a_draft_is_what_changed_last(highest):
    now = clock.now()
    ContentFactory(title="Quay", last_edit_date=now - timedelta(hours=1))
    content = ContentFactory(title="Lock", last_edit_date=now - timedelta(hours=2), is_checked=True)
    values = {"version": 1, "checked_level": 0, "editor": "mia", "edited_at": now}
    ContentDraft.objects.create(content=content, site_id=content.site_id, **values)
    changed = panel(highest.get("/admin/"), "changed").rows
    assert [row.title for row in changed] == ["Lock", "Quay"]
    assert changed[0].note == f"mia, {moment_markup(now)}"


def test_what_waits_for_me_stands_with_its_channel_and_date(highest):
    content = ContentFactory(title="Tides", channel__channel_name="News")
    ContentFactory(title="Approved", is_checked=True)
    ContentFactory(title="A draft", checked_level=-99)
    answer = highest.get("/admin/")
    shown = panel(answer, "waiting")
    assert shown.url == "/admin/contents/content/waiting/?site="  # of all sites
    (row,) = shown.rows
    assert row.url == f"/admin/contents/content/{content.pk}/review/"
    assert (row.title, row.note) == ("Tides", f"News, {moment_markup(content.last_edit_date)}")


@pytest.mark.parametrize(
    ("away", "told"),
    [
        (timedelta(), "just now"),
        (timedelta(minutes=-5), "5 minutes ago"),
        (timedelta(hours=-26), "1 day ago"),
        (timedelta(days=3), "in 3 days"),
    ],
)
def test_moments_of_this_week_are_told_in_words(away, told):
    assert tell_moment(clock.now() + away).replace("\xa0", " ") == told


@pytest.mark.parametrize("away", [timedelta(days=-7), timedelta(days=8)])
def test_other_moments_are_told_by_their_date(away):
    moment = clock.now() + away
    assert tell_moment(moment) == f"{moment:%Y-%m-%d}"


def test_who_writes_goes_on_with_drafts_and_reads_why_something_came_back(client):
    channel = ChannelFactory(channel_name="News")
    author = administrator_with("contents.add_content", "contents.change_content")
    mine = {"channel": channel, "add_user_name": author.user_name}
    ContentFactory(title="Begun", checked_level=-99, **mine)
    back = ContentFactory(title="Back", checked_level=-1, last_edit_date=clock.now() - timedelta(days=3), **mine)
    ContentChange.objects.create(
        content=back, site_id=back.site_id, version=2, actor_kind="command", before="{}", reasons="Too <b>long"
    )
    ContentFactory(title="Waits", checked_level=0, **mine)
    ContentFactory(title="Of another", channel=channel, checked_level=-99, add_user_name="other")
    client.force_login(author)
    answer = client.get("/admin/")
    found = panel(answer, "writing")
    assert [(row.title, row.is_worrying) for row in found.rows] == [("Back", True), ("Begun", False)]
    assert "Rejected: Too &lt;b&gt;long" in answer.content.decode()
    assert found.buttons == [("Add to News", f"/admin/contents/content/add/?channel={channel.pk}")]
    assert not {"contents", "system"} & {each.name for each in answer.context["panels"]}


def test_no_button_leads_into_a_channel_where_one_may_not_add(client):
    ours, theirs = ContentFactory(), ContentFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(ours.site_id)))
    assert [url for _words, url in panel(client.get("/admin/"), "writing").buttons] == [
        f"/admin/contents/content/add/?channel={ours.channel_id}"
    ]
    client.force_login(administrator_with("contents.change_content"))
    assert panel(client.get("/admin/"), "writing").buttons == []
    assert theirs.channel_id != ours.channel_id


def test_the_next_days_show_what_is_planned(highest):
    content = ContentFactory(title="Pier opens")
    at = clock.now() + timedelta(days=2)
    ContentSchedule.objects.create(content=content, site_id=content.site_id, publish_at=at)
    answer = highest.get("/admin/")
    days = panel(answer, "week").context["days"]
    assert [len(day.events) for day in days] == [0, 0, 1, 0, 0, 0, 0]
    assert 'action="/admin/contents/content/calendar/move/"' in answer.content.decode()


def test_first_steps_are_ticked_and_go_when_all_are_done(highest):
    answer = highest.get("/admin/")
    assert [step.is_done for step in answer.context["first_steps"]] == [False, False, False]  # site, key, password
    ContentFactory()
    ApiKeyFactory()
    answer = highest.get("/admin/")
    assert [step.is_done for step in answer.context["first_steps"]] == [True, True, True, False]
    assert "3 of 4 done" in answer.content.decode()
    me = answer.context["user"]
    me.last_change_password_date = clock.now() + timedelta(minutes=2)
    me.save()
    assert "First steps" not in highest.get("/admin/").content.decode()


def test_who_approves_nothing_is_told_of_nothing_that_waits(client):
    ContentFactory()
    client.force_login(administrator_with("contents.view_content"))
    assert "waiting" not in {each.name for each in client.get("/admin/").context["panels"]}


def test_the_chart_shows_the_contents_of_each_day(highest):
    channel, today = ChannelFactory(), clock.now().replace(hour=12)
    for days in (0, 0, 1, 13, 14, -1):
        ContentFactory(channel=channel, add_date=today - timedelta(days=days))
    chart = panel(highest.get("/admin/"), "contents").chart
    assert [bar.value for bar in chart.bars] == [1, *[0] * 11, 1, 2]
    assert (chart.total, chart.most) == (4, 2)
    assert chart.ends == (chart.bars[0].label, chart.bars[-1].label)
    assert chart.bars[-1].url.endswith(f"?added_from={today:%Y-%m-%d}&added_to={today:%Y-%m-%d}")


def test_every_figure_row_and_bar_leads_to_a_page(highest):
    ContentFactory(hits=4)
    ApiKeyFactory(expires_at=clock.now() + timedelta(days=3))
    Node.objects.create(name="node 1", problem="It does not start.")
    addresses = set()
    for each in highest.get("/admin/").context["panels"]:
        addresses |= {each.url} | {one.url for one in [*each.figures, *each.rows]}
        addresses |= {bar.url for bar in each.chart.bars} if each.chart else set()
    answered = {address: highest.get(address).status_code for address in filter(None, addresses)}
    assert len(answered) > 20
    assert set(answered.values()) == {200}


def test_the_system_tells_of_servers_with_problems(highest):
    Node.objects.create(name="node 1", problem="It does not start.")
    answer = highest.get("/admin/")
    assert figures(answer, "system")["servers with a problem"] == "1"
    assert panel(answer, "system").is_worrying
    assert panel(answer, "system").verdict == "1 problem: ▲"


def test_the_system_says_that_all_is_well(highest, monkeypatch):
    roomy = shutil.disk_usage("/")._replace(total=100, free=90)
    monkeypatch.setattr("core.operation.admin.shutil.disk_usage", lambda path: roomy)
    found = panel(highest.get("/admin/"), "system")
    assert (found.verdict, found.is_worrying) == ("No problems.", False)


def test_users_who_wait_to_be_checked_are_named_the_oldest_first(highest):
    users = [UserFactory(is_checked=False, display_name=name) for name in ("Ada", "Ben")]
    UserFactory(display_name="Approved")
    found = panel(highest.get("/admin/"), "users")
    assert [(row.title, row.url) for row in found.rows] == [
        (user.display_name, f"/admin/accounts/user/{user.pk}/change/") for user in users
    ]
    assert [str(figure.value) for figure in found.figures] == ["2"]
    assert [user.pk for user in highest.get(found.url).context["cl"].result_list] == [users[1].pk, users[0].pk]


def test_where_no_user_waits_nothing_is_said_of_users(highest):
    UserFactory()
    assert "users" not in {each.name for each in highest.get("/admin/").context["panels"]}


def test_users_who_wait_are_for_who_may_approve_them(client):
    UserFactory(is_checked=False)
    client.force_login(administrator_with("accounts.view_user"))
    assert "users" not in {each.name for each in client.get("/admin/").context["panels"]}
    client.force_login(administrator_with("accounts.approve_user"))
    assert "users" in {each.name for each in client.get("/admin/").context["panels"]}


def test_users_who_wait_are_found_by_an_index():
    waiting = User.objects.filter(is_checked=False).order_by("pk")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # few rows are read whole
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
    assert "user_unchecked" in waiting[:5].explain()
    assert "user_unchecked" in waiting.order_by()[:1001].explain()


def test_keys_that_end_soon_are_named(highest):
    ApiKeyFactory(name="brief", expires_at=clock.now() + timedelta(days=3))
    ApiKeyFactory(name="long", expires_at=clock.now() + timedelta(days=30))
    assert [row.title for row in panel(highest.get("/admin/"), "keys").rows] == ["brief"]


def test_a_panel_that_cannot_be_read_keeps_no_other_away(highest, monkeypatch):
    def fail(site, request):
        raise DatabaseError("canceling statement due to statement timeout")

    broken = start._places["changed"]._replace(make=fail)
    monkeypatch.setitem(start._places, "changed", broken)
    answer = highest.get("/admin/")
    assert str(panel(answer, "changed").nothing) == "This cannot be loaded right now."
    assert panel(answer, "contents").figures


def test_bars_are_as_high_as_their_share_and_small_ones_can_be_seen():
    chart = Chart("Added", [Bar("a", 1000, "/a"), Bar("b", 500, "/b"), Bar("c", 1, "/c"), Bar("d", 0, "/d")])
    assert [drawn.height for drawn in chart.drawn] == [72, 36, 2, 0]
    assert [drawn.y for drawn in chart.drawn] == [0, 36, 70, 72]


def test_titles_are_texts_and_no_markup(highest):
    ContentFactory(title="<b>Harbour</b>")
    text = highest.get("/admin/").content.decode()
    assert "&lt;b&gt;Harbour&lt;/b&gt;" in text
    assert not re.search("<b>Harbour", text)


def test_it_costs_as_many_statements_with_many_sites_as_with_one(highest):
    ContentFactory(hits=1)
    with CaptureQueriesContext(connection) as few:
        highest.get("/admin/")
    for _ in range(15):
        ContentFactory(hits=1)
    with CaptureQueriesContext(connection) as many:
        highest.get("/admin/")
    assert Content.objects.count() == 16
    assert len(many) == len(few) < 32


def test_the_newest_of_many_sites_counts(highest):
    # More than are asked about at once.
    sites = [SiteFactory() for _ in range(102)]
    ContentFactory(title="First", channel=ChannelFactory(site=sites[0]), last_edit_date="2026-01-01 08:00:00")
    ContentFactory(title="Last", channel=ChannelFactory(site=sites[-1]), last_edit_date="2026-01-02 08:00:00")
    answer = highest.get("/admin/")
    assert figures(answer, "contents")["in all"] == "2"
    assert [row.title for row in panel(answer, "changed").rows] == ["Last", "First"]
