"""The pages of the trash: what comes back, what cannot, and what leaves for good."""

import pytest

from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.models import Content, ContentBody
from contents.services import trash_content
from tests.back_end.pages.browsing import act, listed, noted, place, told
from tests.back_end.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

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


@pytest.fixture
def tree(db):
    return Tree()


def test_the_trash_shows_what_is_in_it_and_with_what_it_came(highest, tree):
    alone = trashed_content()
    assert set(listed(highest, CONTENTS)) == {alone, *tree.contents}
    (channel,) = listed(highest, CHANNELS)
    assert (channel.pk, channel.along) == (tree.top.pk, 2)
    assert f"channel {tree.top.pk}" in highest.get(place(CONTENTS)).content.decode()


def test_a_content_stays_while_its_channel_is_in_the_trash(highest, tree):
    answer = act(highest, CONTENTS, "restore", tree.contents[0])
    assert "Its channel is in the trash; restore the channel first." in told(answer)[0]
    assert Content.objects.get(pk=tree.contents[0].pk).trashed_at is not None


def test_of_several_those_come_back_that_can(highest, tree):
    alone = trashed_content()
    answer = act(highest, CONTENTS, "restore", alone, tree.contents[0])
    assert told(answer)[0] == "1 content was restored."
    assert Content.objects.get(pk=alone.pk).trashed_at is None
    assert_derived()


def test_a_channel_comes_back_with_what_went_with_it(highest, tree):
    asked = highest.get(place(CHANNELS, "act", "restore"), {"ids": tree.top.pk})
    assert "In all: 2 channels and 2 contents." in asked.content.decode()
    assert told(act(highest, CHANNELS, "restore", tree.top)) == ["1 channel was restored."]
    assert Channel.objects.present().filter(pk=tree.below.pk).exists()
    assert not Content.objects.exclude(trashed_at=None).exists()
    assert_derived()


def test_a_content_that_is_purged_is_gone_with_its_body(highest):
    content = trashed_content(content="<p>x</p>")
    assert (
        "This cannot be undone." in highest.get(place(CONTENTS, "act", "purge"), {"ids": content.pk}).content.decode()
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
    assert told(answer) == ["2 channels were deleted for good."]
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
