"""Acts on contents by several administrators at the same moment."""

import pytest
from django.test import Client

from channels_app.services import trash_channel
from contents.models import Content, ContentChange
from contents.services import approval
from contents.services.moving import copy_contents, move_contents
from contents.services.single import update_content
from contents.storing.locking import Seen, only
from core.rest.serializers import Members
from tests.admin.pages.browsing import act, told, undo_button
from tests.contents.derived import assert_derived
from tests.contents.threads import at_once, outcome
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "contents_content"


def approve(content, user):
    only(approval.approve_each([Seen(content.site_id, content.pk, 1)], user))


def reject(content, user):
    only(approval.reject_each([Seen(content.site_id, content.pk, 1)], user, "No."))


def move(content, channel):
    only(move_contents([Seen(content.site_id, content.pk)], channel.pk))


def copy(content, channel):
    only(copy_contents([Seen(content.site_id, content.pk)], channel.pk, "anna"))


def browser():
    made = Client()
    made.force_login(AdministratorFactory())
    return made


def acting(name, records, **sent):
    """The act on the records for a thread, by a browser of somebody of the highest rank."""
    visitor = browser()
    return lambda _client: told(act(visitor, PAGE, name, *records, **sent))


def pressing(visitor, address, sent):
    return lambda _client: visitor.post(address, sent).status_code


def test_of_two_who_decide_at_once_one_does():
    for _ in range(5):
        content = ContentFactory()
        one, two = AdministratorFactory(), AdministratorFactory()
        found = at_once(
            "",
            outcome(approve, content, one),
            outcome(reject, content, two),
        )
        assert sorted(found) == ["", "changed_meanwhile"]
        stored = Content.objects.get(pk=content.pk)
        assert (stored.is_checked, stored.checked_level) == ((True, 0) if found[0] == "" else (False, -1))
        assert ContentChange.objects.filter(content=content).count() == 1
        assert_derived()


def test_two_who_move_the_same_contents_wait_for_each_other_in_turn():
    for _ in range(3):
        source = ChannelFactory()
        targets = [ChannelFactory(site=source.site), ChannelFactory(site=source.site)]
        contents = [ContentFactory(channel=source) for _ in range(8)]
        admin_actions = [
            acting("move", contents, channel=targets[0].pk),
            acting("move", contents[::-1], channel=targets[1].pk),
            acting("move", contents[4:], channel=targets[0].pk),
        ]
        found = at_once("", *admin_actions)
        assert all(messages[0].endswith("content items were moved.") for messages in found[:2])
        places = set(Content.objects.filter(pk__in=[each.pk for each in contents]).values_list("channel", flat=True))
        assert places <= {target.pk for target in targets}
        taken = list(Content.objects.filter(channel__in=targets).values_list("channel", "taxis"))
        assert len(set(taken)) == len(taken)
        assert_derived()


def test_moves_and_changes_of_the_order_wait_for_each_other_in_turn():
    for _ in range(3):
        source = ChannelFactory()
        target = ChannelFactory(site=source.site)
        contents = [ContentFactory(channel=source) for _ in range(6)]
        there = ContentFactory(channel=target)
        place = (target.site_id, target.pk, there.pk)
        found = at_once(
            "",
            acting("move", contents, channel=target.pk),
            outcome(update_content, *place, Members({"taxis": 500}, {}), "anna"),
        )
        assert found == [["6 content items were moved."], ""]
        assert_derived()


@pytest.mark.parametrize("bring", [move, copy])
def test_nothing_comes_into_a_channel_that_goes(bring):
    for _ in range(5):
        content = ContentFactory()
        target = ChannelFactory(site=content.site)
        found = at_once(
            "",
            outcome(bring, content, target),
            outcome(trash_channel, target.site_id, target.pk),
        )
        assert found in (["", ""], ["target_not_found", ""])
        assert not Content.objects.live().filter(channel=target).exists()
        assert_derived()


def test_two_clicks_take_back_once():
    for _ in range(3):
        visitor, content = browser(), ContentFactory()
        address, sent = undo_button(act(visitor, PAGE, "pin", content))
        at_once("", *[pressing(visitor, address, sent)] * 2)
        stored = Content.objects.get(pk=content.pk)
        assert (stored.is_top, stored.version) == (False, 3)


def test_two_who_flag_the_same_content_leave_both_changes_in_its_history():
    for _ in range(3):
        content = ContentFactory()
        at_once("", acting("pin", [content]), acting("recommend", [content]))
        stored = Content.objects.get(pk=content.pk)
        assert (stored.is_top, stored.is_recommend, stored.version) == (True, True, 3)
        assert ContentChange.objects.filter(content=content).count() == 2


def test_of_two_who_approve_many_of_the_same_each_content_is_approved_once():
    for _ in range(3):
        contents = [
            ContentFactory(channel=channel) for channel in (ChannelFactory(), ChannelFactory()) for _ in "12345"
        ]
        at_once("", acting("approve", contents), acting("approve", contents[:2:-1]))
        approved = ContentChange.objects.filter(content__in=contents, kind="approved")
        assert sorted(approved.values_list("content", flat=True)) == [content.pk for content in contents]
        stored = Content.objects.filter(pk__in=[content.pk for content in contents])
        assert set(stored.values_list("is_checked", "version")) == {(True, 2)}
        assert_derived()


def test_two_who_do_different_things_to_many_of_the_same_lose_nothing():
    for _ in range(3):
        contents = [
            ContentFactory(channel=channel) for channel in (ChannelFactory(), ChannelFactory()) for _ in "12345"
        ]
        at_once(
            "",
            acting("pin", contents),
            acting("add-tags", contents[::-1], names="sea"),
            acting("add-tags", contents[4:], names="sun"),
        )
        stored = list(Content.objects.filter(pk__in=[content.pk for content in contents]).order_by("pk"))
        assert {content.is_top for content in stored} == {True}
        assert [set(content.tags.split(",")) for content in stored] == [{"sea"}] * 4 + [{"sea", "sun"}] * 6
        assert [content.version for content in stored] == [3] * 4 + [4] * 6
        changes = ContentChange.objects.filter(content__in=contents)
        assert changes.count() == 2 * 4 + 3 * 6
        assert_derived()
