"""The calendar of publications and withdrawals."""

from datetime import datetime

import pytest
from django.test import Client

from contents.models import ContentSchedule
from tests.admin.pages.browsing import place
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
    november = look(highest, month="2026-11")
    assert shown(november) == [("11-27", "Job", False), ("11-27", "Fair", True)]
    assert shown(look(highest, month="2026-12")) == [("12-31", "Fair", False)]
    assert (november.context["earlier"], november.context["later"]) == ("month=2026-10", "month=2026-12")


@pytest.mark.parametrize("month", ["2026-13", "soon", "0000-01", "9999-12"])
def test_a_month_that_cannot_be_read_is_the_current_one(highest, month):
    assert sum(day.is_today for week in look(highest, month=month).context["weeks"] for day in week) == 1


def test_only_own_sites_are_shown_and_one_can_be_chosen():
    own, second = SiteFactory(), SiteFactory()
    user = AdministratorFactory(is_superuser=False, site_id_collection=f"{own.pk},{second.pk}")
    for site, title in ((own, "Own"), (second, "Second"), (SiteFactory(), "Foreign")):
        scheduled(datetime(2026, 11, 27, 8), channel=ChannelFactory(site=site), title=title, failure="E")
    browser = Client()
    browser.force_login(user)
    answer = look(browser, month="2026-11")
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
