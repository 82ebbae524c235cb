"""The calendar of publications and withdrawals."""

from datetime import datetime

import pytest
from django.db.models import F
from django.test import Client

from contents.models import Content, ContentSchedule
from contents.services.schedules import schedule_each
from contents.storing.locking import Seen
from core.lib import clock
from tests.admin.pages.browsing import place, told, undo
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
CALENDAR = ("contents_content", "calendar")


def scheduled(publish_at=None, unpublish_at=None, failure="", **fields):
    content = ContentFactory(**fields)
    ContentSchedule.objects.create(
        content=content, site_id=content.site_id, publish_at=publish_at, unpublish_at=unpublish_at, failure=failure
    )
    return content


def look(browser, **query):
    answer = browser.get(place(*CALENDAR), query)
    assert answer.status_code == 200
    return answer


def shown(answer):
    """Day, title and kind of all events of the page."""
    days = [day for week in answer.context["weeks"] for day in week]
    return [
        (f"{day.date:%m-%d}", event.schedule.content.title, event.is_publication)
        for day in days
        for event in day.events
    ]


def test_a_month_shows_each_time_on_its_day(highest):
    scheduled(datetime(2026, 11, 27, 8), datetime(2026, 12, 31, 18), title="Fair")
    scheduled(unpublish_at=datetime(2026, 11, 27, 7), title="Job")
    scheduled(datetime(2026, 11, 27, 8), title="Trashed", trashed_at=datetime(2026, 11, 1))
    november = look(highest, month="2026-11", site="")
    assert shown(november) == [("11-27", "Job", False), ("11-27", "Fair", True)]
    assert shown(look(highest, month="2026-12", site="")) == [("12-31", "Fair", False)]
    empty = "Nothing is planned."
    assert empty in look(highest, month="2027-02", site="").content.decode()
    assert empty not in november.content.decode()
    assert (november.context["earlier"], november.context["later"]) == ("month=2026-10&site=", "month=2026-12&site=")


@pytest.mark.parametrize("month", ["2026-13", "soon", "0000-01", "9999-12"])
def test_a_month_that_cannot_be_read_is_the_current_one(highest, month):
    assert sum(day.is_today for week in look(highest, month=month).context["weeks"] for day in week) == 1


def test_only_own_sites_are_shown_and_one_can_be_chosen():
    own, second = SiteFactory(site_name="Harbour"), SiteFactory(site_name="Museum")
    user = AdministratorFactory(is_superuser=False, site_id_collection=f"{own.pk},{second.pk}")
    for site, title in ((own, "Own"), (second, "Second"), (SiteFactory(), "Foreign")):
        scheduled(datetime(2026, 11, 27, 8), channel=ChannelFactory(site=site), title=title, failure="E")
    browser = Client()
    browser.force_login(user)
    first = look(browser, month="2026-11")
    assert [title for _day, title, _kind in shown(first)] == ["Own"]
    assert '<a class="action-button" href="?month=2026-11&amp;site=">All sites</a>' in first.content.decode()
    answer = look(browser, month="2026-11", site="")
    assert [title for _day, title, _kind in shown(answer)] == ["Own", "Second"]
    assert [schedule.content.title for schedule in answer.context["failed"]] == ["Own", "Second"]
    assert "Foreign" not in answer.content.decode()
    chosen = look(browser, month="2026-11", site=second.pk)
    assert [title for _day, title, _kind in shown(chosen)] == ["Second"]
    assert chosen.context["later"] == f"month=2026-12&site={second.pk}"


def test_a_title_is_text(highest):
    scheduled(datetime(2026, 11, 27, 8), title="<script>x</script>")
    page = look(highest, month="2026-11").content.decode()
    assert "<script>x" not in page
    assert "&lt;script&gt;x" in page


@pytest.mark.parametrize(
    ("week", "first", "last"), [("2026-12-02", "11-29", "12-05"), ("2026-11-29", "11-29", "12-05")]
)
def test_a_week_shows_seven_days_also_over_the_end_of_a_month(highest, week, first, last):
    scheduled(datetime(2026, 12, 5, 8), title="Fair")
    scheduled(datetime(2026, 12, 6, 8), title="Later")
    answer = look(highest, week=week, site="")
    (days,) = answer.context["weeks"]
    assert (f"{days[0].date:%m-%d}", f"{days[-1].date:%m-%d}") == ("11-29", "12-05")
    assert shown(answer) == [("12-05", "Fair", True)]
    assert (answer.context["earlier"], answer.context["later"]) == ("week=2026-11-22&site=", "week=2026-12-06&site=")


@pytest.mark.parametrize("week", ["2026-02-30", "soon", "0000-01-01", "20261129"])
def test_a_week_that_cannot_be_read_is_the_current_month(highest, week):
    assert len(look(highest, week=week).context["weeks"]) > 1


NEXT_YEAR = clock.now().year + 1


def move(browser, schedule, **sent):
    """The answer to a drag of the time to the fifth of March."""
    given = {"content": schedule.pk, "version": schedule.version, "name": "publish_at", "day": f"{NEXT_YEAR}-03-05"}
    return browser.post(place("contents_content", "calendar_move"), given | {"query": "week=2026-11-29"} | sent)


def planned(user, **fields):
    """A content that the user has approved for eight o'clock on 1 March."""
    content = ContentFactory(**fields)
    schedule_each([Seen(content.site_id, content.pk)], user, {"publish_at": datetime(NEXT_YEAR, 3, 1, 8)})
    return ContentSchedule.objects.get(pk=content.pk)


@pytest.fixture
def approver():
    return AdministratorFactory()


@pytest.fixture
def browser(approver):
    made = Client()
    made.force_login(approver)
    return made


def test_a_time_is_moved_to_another_day_and_back(browser, approver):
    schedule = planned(approver, title="Fair")
    answer = move(browser, schedule)
    assert answer.url == f"{place(*CALENDAR)}?week=2026-11-29"
    schedule.refresh_from_db()
    assert schedule.publish_at == datetime(NEXT_YEAR, 3, 5, 8)
    assert "“Fair” was approved" in told(answer)[0]
    undo(browser, answer)
    schedule.refresh_from_db()
    assert schedule.publish_at == datetime(NEXT_YEAR, 3, 1, 8)


def test_moving_approves_no_text_that_has_changed_since_the_approval(browser, approver):
    schedule = planned(approver)
    Content.objects.filter(pk=schedule.pk).update(title="Unseen", version=F("version") + 1)
    answer = move(browser, schedule)
    assert "has changed" in told(answer)[0]
    schedule.refresh_from_db()
    assert schedule.publish_at == datetime(NEXT_YEAR, 3, 1, 8)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"version": 1}, "has changed"),  # another administrator has changed the schedule
        ({"day": "2020-01-01"}, "future"),
        ({"name": "unpublish_at"}, "has changed"),  # it has no such time
    ],
)
def test_what_cannot_be_moved_is_told(browser, approver, sent, words):
    schedule = planned(approver)
    assert words in told(move(browser, schedule, **sent))[0]
    schedule.refresh_from_db()
    assert schedule.publish_at == datetime(NEXT_YEAR, 3, 1, 8)


@pytest.mark.parametrize("sent", [{"name": "version"}, {"day": "soon"}, {"content": "x"}, {"content": "999999"}])
def test_a_move_of_nothing_is_not_found(browser, approver, sent):
    assert move(browser, planned(approver), **sent).status_code == 404


def test_nobody_moves_times_beyond_their_rights(approver):
    schedule = planned(approver)
    writer, elsewhere = Client(), Client()
    writer.force_login(administrator_with("contents.change_content"))
    elsewhere.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk)))
    assert [move(each, schedule).status_code for each in (writer, elsewhere)] == [404, 404]
    assert "move-time" not in look(writer).content.decode()
