"""The pages of the trash: what comes back, what cannot, and what leaves for good."""

import re
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from channels_app.services import restore_channel, trash_channel
from contents.admin.trash import actions as empty_trash
from contents.models import Content, ContentBody
from contents.services import trash
from contents.services.single import trash_content
from core.admin import admin_actions
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.statement_limit import TooSlow
from tests.admin.pages.browsing import act, listed, noted, place, told, undo
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
CONTENTS, CHANNELS = "contents_trashedcontent", "channels_app_trashedchannel"


def trashed_content(**fields):
    content = ContentFactory(**fields)
    trash_content(content.site_id, content.channel_id, content.pk)
    return content


class Tree:
    """A channel in the trash with another below it, and a content in each."""

    def __init__(self):
        self.top = ChannelFactory(channel_name="Top")
        self.below = ChannelFactory(parent=self.top)
        self.contents = [ContentFactory(channel=channel, tags="t") for channel in (self.top, self.below)]
        trash_channel(self.top.site_id, self.top.pk)


@world
def tree():
    return Tree()


def test_the_page_of_a_restored_content_leads_to_the_content(highest):
    content = trashed_content()
    address = place(CONTENTS, "change", content.pk)
    assert highest.get(address).status_code == 200
    restore_content(content.site_id, content.pk)
    assert highest.get(address)["Location"] == place("contents_content", "change", content.pk)


def test_the_trash_shows_what_is_in_it_and_with_what_it_came(highest, tree):
    alone = trashed_content()
    assert set(listed(highest, CONTENTS)) == {alone, *tree.contents}
    (channel,) = listed(highest, CHANNELS)
    assert (channel.pk, channel.size) == (tree.top.pk, (2, 2))
    assert {content: content.deleted_with for content in listed(highest, CONTENTS)} == {
        alone: None,
        **dict.fromkeys(tree.contents, tree.top),
    }
    assert "deleted with the channel" in highest.get(place(CONTENTS)).content.decode()


def test_it_tells_who_deleted_what(highest, client):
    channel = ChannelFactory()
    first, along = (ContentFactory(channel=channel) for _ in range(2))
    ferry, root = AdministratorFactory(user_name="ferry"), AdministratorFactory(user_name="quay root")
    client.force_login(ferry)
    act(client, "contents_content", "trash", first)
    act(highest, CONTENTS, "restore", first)
    client.force_login(root)
    act(client, "contents_content", "trash", first)
    client.force_login(ferry)
    act(client, "channels_app_channel", "trash", channel)
    assert {content.pk: content.deleted_by for content in listed(highest, CONTENTS)} == {
        first.pk: "quay root",
        along.pk: "ferry",
    }
    assert [each.deleted_by for each in listed(highest, CHANNELS)] == ["ferry"]
    assert "ferry" in highest.get(place(CONTENTS, "change", along.pk)).content.decode()


def test_of_what_was_deleted_often_the_last_deletion_is_read_and_no_other(highest):
    content = trashed_content()
    channel = ChannelFactory(site=content.site)
    for _ in range(3):
        restore_content(content.site_id, content.pk)
        trash_content(content.site_id, content.channel_id, content.pk)
        trash_channel(channel.site_id, channel.pk)
        restore_channel(channel.site_id, channel.pk)
    trash_channel(channel.site_id, channel.pk)
    along = ContentFactory(channel=channel, trashed_at=clock.now(), trashed_with_id=channel.pk)
    read = []

    def note(instance, **signal):
        read.append(instance.action)

    post_init.connect(note, sender=AuditEntry)
    try:
        with CaptureQueriesContext(connection) as statements:
            assert set(listed(highest, CONTENTS)) == {content, along}
    finally:
        post_init.disconnect(note, sender=AuditEntry)
    assert sorted(read) == ["channel.trashed", "content.trashed"]
    assert len([each for each in statements if "audit_auditentry" in each["sql"]]) == 1


def test_who_deleted_it_is_not_known_without_an_entry(highest):
    channel = ChannelFactory()
    gone = ContentFactory(channel=channel)
    Content.objects.filter(pk=gone.pk).update(trashed_at=clock.now())
    assert [content.deleted_by for content in listed(highest, CONTENTS)] == [""]


@pytest.mark.parametrize("page", [CONTENTS, CHANNELS])
def test_a_list_costs_as_many_statements_with_many_rows_as_with_two(highest, page):
    def grow(number):
        for _ in range(number):
            tree = Tree()
            trashed_content(channel=ChannelFactory(site=tree.top.site))

    grow(2)
    with CaptureQueriesContext(connection) as few:
        highest.get(place(page))
    grow(8)
    with CaptureQueriesContext(connection) as many:
        highest.get(place(page))
    assert len(many) == len(few) < 30


def test_what_was_deleted_is_found_by_words_and_by_time(highest):
    old, new = trashed_content(title="Old quay"), trashed_content(title="New lock")
    Content.objects.filter(pk=old.pk).update(trashed_at=clock.now() - timedelta(days=10))
    assert listed(highest, CONTENTS, q="quay") == [old]
    assert listed(highest, CONTENTS, deleted="week") == [new]
    assert listed(highest, CONTENTS, deleted="month") == [new, old]
    assert "Nothing in the trash matches." in highest.get(place(CONTENTS), {"q": "zzz"}).content.decode()


def test_an_empty_trash_says_so(highest):
    for page in (CONTENTS, CHANNELS):
        text = highest.get(place(page)).content.decode()
        assert "The trash is empty." in text
        assert "Empty the trash…" not in text


def test_a_search_that_takes_too_long_says_how_to_narrow_it(highest, settings):
    for _ in range(3):
        trashed_content()
    settings.CMS_STATEMENT_SECONDS = 5
    assert not highest.get(place(CONTENTS)).context["cl"].is_slow

    @contextmanager
    def end(connection, seconds):
        yield
        raise TooSlow

    with patch("core.admin.paging.statement_limit", end):
        answer = highest.get(place(CONTENTS))
    assert "The search takes too long." in answer.content.decode()
    assert answer.context["cl"].result_list == []


def test_a_content_stays_while_its_channel_is_in_the_trash(highest, tree):
    answer = act(highest, CONTENTS, "restore", tree.contents[0])
    assert "Its channel is in the trash; restore the channel first." in told(answer)[0]
    assert Content.objects.get(pk=tree.contents[0].pk).trashed_at is not None


def test_of_several_those_come_back_that_can(highest, tree):
    alone = trashed_content()
    asked = highest.get(place(CONTENTS, "action", "restore"), {"ids": f"{alone.pk},{tree.contents[0].pk}"})
    assert "1 of them cannot be restored because its channel is in the trash." in asked.content.decode()
    answer = act(highest, CONTENTS, "restore", alone, tree.contents[0])
    assert told(answer)[0] == "1 content item was restored."
    assert Content.objects.get(pk=alone.pk).trashed_at is None
    assert_derived()


def test_the_restoring_of_a_content_is_taken_back(highest):
    content = trashed_content()
    answer = act(highest, CONTENTS, "restore", content)
    undo(highest, answer)
    assert Content.objects.get(pk=content.pk).trashed_at is not None
    assert_derived()


def test_the_restoring_of_a_content_that_was_changed_since_stays(highest):
    content = trashed_content()
    answer = act(highest, CONTENTS, "restore", content)
    Content.objects.filter(pk=content.pk).update(version=F("version") + 1)
    undo(highest, answer)
    assert Content.objects.get(pk=content.pk).trashed_at is None


def test_a_channel_comes_back_with_what_went_with_it(highest, tree):
    asked = highest.get(place(CHANNELS, "action", "restore"), {"ids": tree.top.pk})
    assert "Total: 2 channels and 2 content items." in asked.content.decode()
    answer = act(highest, CHANNELS, "restore", tree.top)
    assert told(answer) == ["1 channel was restored. Total: 2 channels and 2 content items."]
    assert Channel.objects.live().filter(pk=tree.below.pk).exists()
    assert not Content.objects.exclude(trashed_at=None).exists()
    assert_derived()


def test_what_an_error_took_back_is_not_counted_among_what_came_back(highest, monkeypatch):
    tops = [Tree().top for _ in range(4)]
    restored = []

    def break_the_last(execute, sql, params, many, context):
        restored.append(sql.startswith("INSERT INTO") and "audit_auditentry" in sql)
        if restored[-1] and restored.count(True) == 4:
            raise RuntimeError("The disk is full.")
        return execute(sql, params, many, context)

    monkeypatch.setattr(admin_actions, "BATCH_SIZE", 2)
    highest.raise_request_exception = False
    with connection.execute_wrapper(break_the_last):
        assert act(highest, CHANNELS, "restore", *tops).status_code == 500
    page = highest.get(place(CHANNELS)).content.decode()
    assert "2 channels were restored. Total: 4 channels and 4 content items." in page
    assert "Because of an error, 2 were not changed." in page
    assert set(listed(highest, CHANNELS)) == set(tops[2:])


def test_a_content_that_is_purged_is_gone_with_its_body(highest):
    content = trashed_content(content="<p>x</p>")
    assert (
        "This cannot be undone."
        in highest.get(place(CONTENTS, "action", "purge"), {"ids": content.pk}).content.decode()
    )
    act(highest, CONTENTS, "purge", content)
    assert not Content.objects.exists()
    assert not ContentBody.objects.exists()
    (entry,) = noted("content.purged")
    assert (entry.object_id, entry.object_name, entry.site_id) == (str(content.pk), content.title, content.site_id)
    assert_derived()


def test_a_channel_that_is_purged_takes_along_what_was_trashed_before_it(highest):
    top = ChannelFactory()
    below = ChannelFactory(parent=top)
    content = ContentFactory(channel=below)
    trash_content(content.site_id, below.pk, content.pk)
    trash_channel(top.site_id, below.pk)
    trash_channel(top.site_id, top.pk)
    answer = act(highest, CHANNELS, "purge", Channel.objects.get(pk=below.pk), top)
    assert told(answer) == ["2 channels were permanently deleted. Total: 2 channels and 1 content item."]
    assert not Channel.objects.filter(pk__in=[top.pk, below.pk]).exists()
    assert not Content.objects.exists()
    # The one below left with the one above.
    assert [entry.details for entry in noted("channel.purged")] == [{"contents": 1, "channels": 2}]
    assert_derived()


def test_what_is_present_is_not_purged(highest):
    content, channel = ContentFactory(), ChannelFactory()
    assert act(highest, CONTENTS, "purge", content).status_code == 404
    assert act(highest, CHANNELS, "purge", channel).status_code == 404


def test_purging_is_a_right_of_its_own_that_no_site_administrator_has(client):
    content = trashed_content()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(content.site_id)))
    assert act(client, CONTENTS, "purge", content).status_code == 404
    client.force_login(administrator_with("contents.restore_content"))
    assert act(client, CONTENTS, "purge", content).status_code == 404
    client.force_login(administrator_with("contents.purge_content"))
    assert act(client, CONTENTS, "purge", content).status_code == 302
    assert not Content.objects.exists()


def test_of_a_large_channel_the_contents_are_purged_step_by_step_and_the_channels_last(highest, tree, monkeypatch):
    ContentFactory.create_batch(3, channel=tree.below, trashed_at=clock.now(), trashed_with_id=tree.top.pk)
    monkeypatch.setattr(empty_trash, "STEP", 2)
    monkeypatch.setattr(trash, "_BATCH", 2)
    between = act(highest, CHANNELS, "purge", tree.top, list="q=Top")
    text = between.content.decode()
    assert "Permanently deleted so far: 0 channels and 2 content items." in text
    assert f'href="{place(CHANNELS)}?q=Top"' in text
    assert listed(highest, CHANNELS) == [tree.top]
    between = highest.post(place(CHANNELS, "action", "purge"), sent_by(between))
    answer = highest.post(place(CHANNELS, "action", "purge"), sent_by(between))
    assert told(answer) == ["1 channel was permanently deleted. Total: 2 channels and 5 content items."]
    assert answer.url == f"{place(CHANNELS)}?q=Top"
    assert not Content.objects.exists()
    assert [(entry.action, entry.details) for entry in [*noted("trash.purged"), *noted("channel.purged")]] == [
        ("trash.purged", {"contents": 2, "channels": 0}),
        ("trash.purged", {"contents": 2, "channels": 0}),
        ("channel.purged", {"contents": 1, "channels": 2}),
    ]
    assert_derived()


def test_a_channel_that_comes_back_between_two_steps_keeps_the_contents_that_are_left(highest, tree, monkeypatch):
    monkeypatch.setattr(empty_trash, "STEP", 1)
    monkeypatch.setattr(trash, "_BATCH", 1)
    between = act(highest, CHANNELS, "purge", tree.top)
    act(highest, CHANNELS, "restore", tree.top)
    assert highest.post(place(CHANNELS, "action", "purge"), sent_by(between)).status_code == 404
    assert trash.purge_below([tree.top.pk], 10) == 0
    assert Content.objects.live().count() == 1
    assert_derived()


def test_only_who_may_delete_channels_for_good_deletes_some_of_their_contents(client, tree, monkeypatch):
    monkeypatch.setattr(empty_trash, "STEP", 1)
    client.force_login(administrator_with("channels_app.restore_channel"))
    assert act(client, CHANNELS, "purge", tree.top).status_code == 404
    assert Content.objects.count() == 2


def sent_by(answer):
    """What the page between two steps sends."""
    return dict(re.findall('<input type="hidden" name="([a-z]+)" value="([^"]*)">', answer.content.decode()))


# ---- emptying the trash of a site


def empty(browser, of_site, **sent):
    """The answer to the button, once the page has told what would leave."""
    asked = browser.get(place(CONTENTS, "empty"), {"site": of_site.pk})
    return browser.post(place(CONTENTS, "empty"), {"site": of_site.pk, "until": asked.context["until"]} | sent)


def test_the_trash_of_a_site_is_emptied_and_no_other(highest, tree):
    alone, elsewhere = trashed_content(channel=ChannelFactory(site=tree.top.site)), trashed_content()
    asked = highest.get(place(CONTENTS, "empty"), {"site": tree.top.site_id}).content.decode()
    assert "To be permanently deleted: 2 channels and 3 content items." in asked
    assert "This cannot be undone." in asked
    answer = empty(highest, tree.top.site)
    assert (told(answer), answer.url) == (["Permanently deleted: 2 channels and 3 content items."], place(CONTENTS))
    assert listed(highest, CONTENTS) == [elsewhere]
    assert not Channel.objects.filter(pk__in=[tree.top.pk, tree.below.pk]).exists()
    assert not Content.objects.filter(pk=alone.pk).exists()
    assert [entry.details for entry in noted("trash.purged")] == [
        {"contents": 3, "channels": 0},
        {"contents": 0, "channels": 2},
    ]
    assert_derived()


def test_the_only_site_with_something_in_the_trash_needs_no_choice(highest, tree):
    SiteFactory()
    assert highest.get(place(CONTENTS, "empty")).context["site"] == tree.top.site
    trashed_content()
    assert len(highest.get(place(CONTENTS, "empty")).context["links"]) == 2


def test_of_any_number_of_sites_with_something_in_the_trash_each_can_be_chosen(highest):
    sites = [ContentFactory(title="Gone").site for _ in range(20)]
    Content.objects.update(trashed_at=clock.now())
    SiteFactory()
    field = highest.get(place(CONTENTS, "empty")).context["form"].fields["site"]
    assert {number for number, _name in field.choices} == {site.pk for site in sites}
    asked = highest.get(place(CONTENTS, "empty"), {"site": sites[-1].pk})
    assert asked.context["site"] == sites[-1]
    assert "Choose another site" in asked.content.decode()


def test_a_site_without_anything_in_the_trash_says_so(highest, tree):
    text = highest.get(place(CONTENTS, "empty"), {"site": SiteFactory().pk}).content.decode()
    assert "The trash is empty." in text


def test_what_is_deleted_after_the_page_was_opened_stays(highest, tree):
    early = (clock.now() - timedelta(hours=1)).isoformat()
    answer = empty(highest, tree.top.site, until=early)
    assert told(answer) == ["There was nothing to delete."]
    assert len(listed(highest, CONTENTS)) == 2


def test_a_large_trash_is_emptied_step_by_step(highest, tree, monkeypatch):
    monkeypatch.setattr(empty_trash, "STEP", 2)
    between = empty(highest, tree.top.site)
    text = between.content.decode()
    assert "Permanently deleted so far: 0 channels and 2 content items." in text
    assert ('max="4" value="2"' in text, "data-goes-on" in text) == (True, True)
    late = trashed_content(channel=ChannelFactory(site=tree.top.site))
    Content.objects.filter(pk=late.pk).update(trashed_at=clock.now() + timedelta(minutes=1))
    last = highest.post(place(CONTENTS, "empty"), sent_by(between))
    assert "Permanently deleted so far: 2 channels and 2 content items." in last.content.decode()
    assert told(highest.post(place(CONTENTS, "empty"), sent_by(last))) == [
        "Permanently deleted: 2 channels and 2 content items."
    ]
    assert not Channel.objects.filter(trashed_at__isnull=False).exists()
    assert listed(highest, CONTENTS) == [late]


@pytest.mark.parametrize(
    "sent", [{"until": "tomorrow"}, {"until": ""}, {"until": "2099-01-01T08:00:00+08:00"}, {"site": "0"}, {"site": "x"}]
)
def test_what_cannot_be_read_empties_nothing(highest, tree, sent):
    answer = empty(highest, tree.top.site, **sent)
    assert answer.status_code == 302
    assert len(listed(highest, CONTENTS)) == 2


def test_emptying_is_for_who_may_delete_contents_and_channels_for_good(client, tree):
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(tree.top.site_id)))
    assert client.get(place(CONTENTS, "empty")).status_code == 404
    client.force_login(administrator_with("contents.purge_content"))
    assert client.post(place(CONTENTS, "empty"), {"site": tree.top.site_id}).status_code == 404
    client.force_login(administrator_with("contents.purge_content", "channels_app.purge_channel"))
    assert told(empty(client, tree.top.site)) == ["Permanently deleted: 2 channels and 2 content items."]
