"""The times of publication and withdrawal in the form of a content."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents import scheduling
from contents.models import Content, ContentSchedule
from core.lib import clock
from tests.admin.pages.browsing import act, noted, told, undo
from tests.admin.pages.writing.forms import PAGE, add, change, open_form, place, save, sent_by
from tests.admin.world import administrator_with
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db


NOW = clock.now().replace(second=0)


def moment(**later):
    return NOW + timedelta(**later)


def typed(publish_at="", unpublish_at=""):
    return {
        name: value and value.isoformat()
        for name, value in (("publish_at", publish_at), ("unpublish_at", unpublish_at))
    }


def open_whole(client, content):
    """The values that the form sends unchanged, with the times."""
    answer = client.get(place(PAGE, "change", content.pk))
    return open_form(client, content) | sent_by(answer.context["schedule"])


def schedule_of(content):
    return ContentSchedule.objects.filter(pk=content.pk).values_list("publish_at", "unpublish_at").first()


def test_a_new_content_is_scheduled_and_the_page_says_so(highest):
    tomorrow, later = moment(days=1), moment(days=2)
    answer = add(highest, ChannelFactory(), title="x", state="waiting", **typed(tomorrow, later))
    content = Content.objects.get()
    assert not content.is_checked
    assert schedule_of(content) == (tomorrow, later)
    assert ContentSchedule.objects.get().actor_name == "harriet"
    assert f"Will be published: {tomorrow:%Y-%m-%d %H:%M}" in told(answer)[0]
    shown = highest.get(place(PAGE, "change", content.pk)).content.decode()
    assert tomorrow.isoformat(timespec="minutes") in shown


def test_times_are_changed_and_removed_and_those_untouched_stay(highest):
    content = ContentFactory()
    change(highest, content, **typed(moment(days=1), moment(days=2)))
    sent = open_whole(highest, content)
    save(highest, content, sent | {"title": "Other"})
    save(highest, content, open_whole(highest, content) | {"publish_at": ""})
    assert schedule_of(content) == (None, moment(days=2))
    save(highest, content, open_whole(highest, content) | {"unpublish_at": ""})
    assert schedule_of(content) is None
    assert [entry.action for entry in [*noted("content.scheduled"), *noted("content.unscheduled")]] == [
        *["content.scheduled"] * 2,
        "content.unscheduled",
    ]


def test_a_past_time_approves_at_once(highest):
    content = ContentFactory()
    change(highest, content, **typed(moment(days=-1)))
    assert Content.objects.get().is_checked
    assert schedule_of(content) is None


@pytest.mark.parametrize(
    ("times", "state", "name"),
    [
        ({"publish_at": {"days": 2}, "unpublish_at": {"days": 1}}, "", "unpublish_at"),
        ({"unpublish_at": {"days": -1}}, "", "unpublish_at"),
        ({"publish_at": {"days": 1}}, "approved", "publish_at"),
    ],
)
def test_what_makes_no_sense_is_shown_beside_its_input_and_nothing_is_stored(highest, times, state, name):
    content = ContentFactory()
    sent = typed(**{key: moment(**later) for key, later in times.items()}) | {"title": "new", "state": state}
    answer = save(highest, content, open_whole(highest, content) | sent)
    assert answer.status_code == 200
    assert list(answer.context["schedule"].errors) == [name]
    assert Content.objects.get().title == content.title
    assert not Content.objects.get().is_checked
    assert schedule_of(content) is None


def test_a_change_by_another_is_not_overwritten_unseen(highest):
    content = ContentFactory()
    mine = open_whole(highest, content) | typed(moment(days=3))
    change(highest, content, **typed(moment(days=1)))
    answer = save(highest, content, mine)
    assert "publish_at" in answer.context["schedule"].errors
    assert schedule_of(content) == (moment(days=1), None)
    again = mine | {"seen_times": answer.context["schedule"]["seen_times"].value()}
    assert save(highest, content, again).status_code == 302
    assert schedule_of(content) == (moment(days=3), None)


def test_a_content_published_while_the_form_is_open_keeps_what_both_wrote(highest):
    content = ContentFactory()
    change(highest, content, **typed(moment(days=1)))
    mine = open_whole(highest, content) | {"title": "Mine"}
    ContentSchedule.objects.update(publish_at=moment(days=-1))
    scheduling.apply_due()
    answer = save(highest, content, mine)
    assert answer.status_code in {302, 409}
    if answer.status_code == 409:
        sent = sent_by(answer.context["form"]) | sent_by(answer.context["schedule"])
        assert save(highest, content, sent).status_code == 302
    stored = Content.objects.get()
    assert (stored.title, stored.is_checked) == ("Mine", True)
    assert schedule_of(content) is None


@pytest.mark.parametrize(("right", "may"), [("contents.change_content", False), ("contents.approve_content", True)])
def test_only_who_may_give_final_approval_sets_times_and_others_see_them(client, right, may):
    content = ContentFactory()
    ContentSchedule.objects.create(
        content=content, site_id=content.site_id, publish_at=moment(days=1), actor_name="ada"
    )
    client.force_login(administrator_with("contents.view_content", "contents.change_content", right))
    shown = client.get(place(PAGE, "change", content.pk)).content.decode()
    assert f"{moment(days=1):%Y-%m-%d %H:%M}" in shown
    assert ('name="publish_at"' in shown) == may
    sent = open_form(client, content) | typed(moment(days=2)) | {"seen_times": f"{moment(days=1).isoformat(' ')}|"}
    assert save(client, content, sent).status_code == 302
    assert schedule_of(content) == (moment(days=2 if may else 1), None)


# ---- many at once, and the list


def test_many_are_scheduled_and_the_undo_restores_the_times_before(highest):
    one, two = ContentFactory(), ContentFactory()
    ContentSchedule.objects.create(content=two, site_id=two.site_id, publish_at=moment(days=1))
    answer = act(highest, PAGE, "schedule", one, two, **typed(moment(days=5), moment(days=6)))
    assert told(answer) == ["The schedules of 2 content items were stored."]
    assert [schedule_of(each) for each in (one, two)] == [(moment(days=5), moment(days=6))] * 2
    assert told(undo(highest, answer)) == ["2 changes were undone."]
    assert [schedule_of(each) for each in (one, two)] == [None, (moment(days=1), None)]
    assert undo(highest, answer).status_code == 302
    assert [schedule_of(each) for each in (one, two)] == [None, (moment(days=1), None)]


def test_the_undo_leaves_a_schedule_that_has_changed_since(highest):
    content = ContentFactory()
    answer = act(highest, PAGE, "schedule", content, **typed(moment(days=5)))
    act(highest, PAGE, "schedule", content, **typed(moment(days=7)))
    undo(highest, answer)
    assert schedule_of(content) == (moment(days=7), None)


def test_many_schedules_are_removed(highest):
    content = ContentFactory()
    ContentSchedule.objects.create(content=content, site_id=content.site_id, publish_at=moment(days=1))
    act(highest, PAGE, "schedule", content, remove="on")
    assert schedule_of(content) is None


@pytest.mark.parametrize("sent", [{}, {"remove": "on"} | typed(moment(days=1)), typed("", moment(days=-1))])
def test_the_action_asks_again_for_times_that_make_no_sense(highest, sent):
    content = ContentFactory()
    answer = act(highest, PAGE, "schedule", content, **sent)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert schedule_of(content) is None


def test_the_list_shows_what_is_planned_with_one_statement(highest):
    contents = [ContentFactory() for _number in range(3)]
    highest.get(place(PAGE))
    with CaptureQueriesContext(connection) as before:
        highest.get(place(PAGE))
    for content in contents:
        ContentSchedule.objects.create(content=content, site_id=content.site_id, publish_at=moment(days=1))
    with CaptureQueriesContext(connection) as after:
        shown = highest.get(place(PAGE)).content.decode()
    assert shown.count(f"Will be published: {moment(days=1):%Y-%m-%d %H:%M}") == 3
    assert len(after) == len(before)
