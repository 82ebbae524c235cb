"""What actions on many contents cost the database: by portions, not by contents."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.models import Content, ContentTag
from contents.services import labels
from contents.services.labels import TAGS, replace_name
from contents.services.single import trash_content
from contents.services.trash import purge_contents, restore_contents
from contents.storing import batches
from contents.storing.locking import Seen
from tests.admin.pages.browsing import act, noted, told, undo, undo_button
from tests.admin.pages.test_content_actions import CHANGES
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
ACTIONS = [*CHANGES, "move", "copy", "trash"]
FEW, MANY = 5, 20
# The rows of one statement are bounded on SQLite, so that many need some statements more.
SOME_MORE = 3
MAX = 40  # statements of an action or of its way back, the request's own included


@pytest.fixture
def editor(client, db):
    """A browser of somebody whose groups allow everything that is done to contents."""
    rights = ("view", "add", "change", "delete", "approve")
    client.force_login(administrator_with(*(f"contents.{right}_content" for right in rights)))
    return client


def custom(number):
    """Further members of a content, no two of which are alike."""
    return f'{{"width":{number}}}'


def statements(do, *arguments, **options):
    """How many statements it takes, and what it answers."""
    with CaptureQueriesContext(connection) as queries:
        answer = do(*arguments, **options)
    return len(queries), answer


def numbers_of(name, browser, number):
    """How many statements the act on so many contents takes, and how many its way back."""
    sent, before, _after = CHANGES.get(name, ({}, {}, {}))
    channel = ChannelFactory()
    sent = {"channel": ChannelFactory(site=channel.site).pk} if name in {"move", "copy"} else sent
    contents = [ContentFactory(channel=channel, settings_xml=custom(n), **before) for n in range(number)]
    forth, answer = statements(act, browser, PAGE, name, *contents, **sent)
    address, button = undo_button(answer)
    back, answer = statements(browser.post, address, button)
    assert f"{number} changes were undone." in told(answer)
    assert Content.objects.filter(channel=channel, trashed_at=None, **before).count() == number
    return forth, back


@pytest.mark.parametrize("name", ACTIONS)
def test_an_act_and_its_way_back_cost_the_same_for_few_and_for_many(editor, name):
    numbers_of(name, editor, 2)  # what is read once and kept
    few, many = numbers_of(name, editor, FEW), numbers_of(name, editor, MANY)
    for of_few, of_many in zip(few, many, strict=True):
        assert of_many <= of_few + SOME_MORE
        assert of_many < MAX
    assert_derived()


def test_an_approval_through_the_api_costs_the_same_for_few_and_for_many(api):
    site = SiteFactory()

    def number_for(count):
        contents = [ContentFactory(channel=ChannelFactory(site=site), title=f"{count} {n}") for n in range(count)]
        places = [{"channelId": content.channel_id, "id": content.pk} for content in reversed(contents)]
        number, answer = statements(api.post, "/api/v1/contents/check", {"siteId": site.pk, "contents": places})
        assert [record["id"] for record in answer.json()["contents"]] == [place["id"] for place in places]
        return number

    number_for(1)
    assert number_for(MANY) <= number_for(FEW) + SOME_MORE


@pytest.mark.parametrize("do", [restore_contents, purge_contents])
def test_what_leaves_the_trash_costs_the_same_for_few_and_for_many(do):
    channel = ChannelFactory()

    def number_for(count):
        contents = [ContentFactory(channel=channel, tags="a") for _ in range(count)]
        for content in contents:
            trash_content(content.site_id, content.channel_id, content.pk)
        number, results = statements(do, [Seen(content.site_id, content.pk) for content in contents])
        assert [content.title for content in results] == [content.title for content in contents]
        return number

    assert number_for(MANY) <= number_for(FEW) + SOME_MORE
    assert len(noted(f"content.{'restored' if do is restore_contents else 'purged'}")) == FEW + MANY
    assert_derived()


def test_a_name_leaves_the_trash_by_portions(monkeypatch):
    monkeypatch.setattr(labels, "BATCH_SIZE", 20)
    channel = ChannelFactory()

    def number_for(count):
        # Many hold the name as a part of theirs and are passed over.
        for n in range(2 * count):
            content = ContentFactory(channel=channel, tags="old,b" if n % 2 else "older")
            trash_content(content.site_id, content.channel_id, content.pk)
        row, _made = ContentTag.objects.get_or_create(site=channel.site, tag_name="old")
        number, replaced = statements(replace_name, TAGS, row.pk, None, 1000)
        assert replaced == (count, True)
        return number

    of_portion = number_for(40) - number_for(20)
    assert of_portion <= 8
    assert number_for(100) - number_for(40) == 3 * of_portion
    assert set(Content.objects.values_list("tags", flat=True)) == {"b", "older"}


# ---- one by one in what they do


def test_each_content_of_a_portion_is_decided_on_by_itself(client):
    of_one, of_three = SiteFactory(), SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 3})
    channels = ChannelFactory(site=of_one), ChannelFactory(site=of_three)
    states = [(0, -99), (0, -1), (0, 0), (1, -99), (1, -3), (1, 0), (1, 1), (1, 2)]
    contents = [
        ContentFactory(channel=channels[site], checked_level=level, title=f"{site} {level}", settings_xml=settings)
        for (site, level), settings in zip(states, ['{"a":1}', "{}"] * 4, strict=True)
    ]
    names = ("version", "is_checked", "checked_level", "settings_xml", "last_edit_date")
    before = list(Content.objects.order_by("pk").values_list(*names))
    client.force_login(administrator_with("contents.approve2_content", "contents.view_content"))
    answer = act(client, PAGE, "approve", *contents)
    assert told(answer) == [
        "3 content items were approved up to level 2 and are waiting for the next level.",
        "3 content items were approved.",
        "1 -3: Your rights do not include this level of approval.",
        "1 2: Your rights do not include this level of approval.",
    ]
    stored = list(Content.objects.order_by("pk").values_list("version", "is_checked", "checked_level"))
    assert stored == [(2, True, 0)] * 3 + [(2, False, 2), (1, False, -3), (2, False, 2), (2, False, 2), (1, False, 2)]
    undo(client, answer)
    after = list(Content.objects.order_by("pk").values_list(*names))
    assert [one[1:] for one in after] == [one[1:] for one in before]
    assert [one[0] for one in after] == [3, 3, 3, 3, 1, 3, 3, 1]
    assert_derived()


@pytest.mark.parametrize("name", ["approve", "reject", "copy"])
def test_texts_that_do_not_fit_together_are_taken_in_turn(editor, monkeypatch, name):
    monkeypatch.setattr(batches, "_MAX", 1)
    channel = ChannelFactory()
    contents = [
        ContentFactory(channel=channel, settings_xml=custom(n), summary=f"s{n}", content=f"<p>{n}</p>")
        for n in range(4)
    ]
    target = ChannelFactory(site=channel.site)
    sent = {"approve": {}, "reject": {"reasons": "No."}, "copy": {"channel": target.pk}}[name]
    answer = act(editor, PAGE, name, *contents, **sent)
    changed = list(Content.objects.filter(channel=target if name == "copy" else channel).order_by("taxis"))
    assert [each.title for each in changed] == [each.title for each in contents]
    assert ['"width"' in each.settings_xml and each.summary for each in changed] == ["s0", "s1", "s2", "s3"]
    assert [each.body.text for each in changed] == ["<p>0</p>", "<p>1</p>", "<p>2</p>", "<p>3</p>"]
    undo(editor, answer)
    stored = Content.objects.filter(channel=channel).order_by("pk")
    assert list(stored.values_list("settings_xml", flat=True)) == [custom(n) for n in range(4)]
    assert_derived()


def test_contents_of_several_sites_are_told_of_in_their_sites(editor):
    contents = [ContentFactory(), ContentFactory(), ContentFactory()]
    act(editor, PAGE, "approve", *contents)
    assert sorted((entry.site_id, entry.object_id) for entry in noted("content.approved")) == sorted(
        (content.site_id, str(content.pk)) for content in contents
    )
    act(editor, PAGE, "trash", *contents)
    assert len({entry.site_id for entry in noted("content.trashed")}) == 3
