"""After any changes, every address that was once public serves a page or leads to the current one of its record."""

import random
from datetime import datetime
from urllib.parse import quote

import pytest

from channels_app import services
from channels_app.models import Channel
from channels_app.tree import read_tree
from contents.models import Content
from contents.navigation.page_urls import read_addresses as content_addresses
from contents.services.bulk import update_contents
from contents.services.moving import move_contents
from contents.services.single import trash_contents
from contents.services.trash import restore_contents
from contents.storing.locking import Seen
from core.lib.errors import ServiceError
from core.rest.serializers import Members
from pages.resolver import read_addresses
from sites.services import change_site
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.sites import make_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]

CONTENT_RULES = [
    *("", "/{@year}/{@contentId}.html", "/{@parentRule}/{@channelId}/{@contentId}{@colour}.html", "/{@id}"),
    *("/{@channelName}/{@title}.html", "{@lowerTitle}.html", "/({@colour}|{@contentId})/{@day}{@title}.html"),
    "/{@colour}/{@contentId}_{@title}.html",
]
CHANNEL_RULES = ["", "/{@parentRule}/{@channelName}/index.html", "/{@channelName}_{@channelId}.html"]
NAMES = ["News", "A B", "艺术", "x_2", "50%", "7"]


class Changes:
    """A site under random changes, and the records that had pages, by address."""

    def __init__(self, choose):
        self.choose, self.site, self.once = choose, make_site(site_dir="museum"), {}
        self.channels = [ChannelFactory(site=self.site, channel_name=choose(NAMES)).pk for _ in range(3)]
        self.contents = [self._add(Channel.objects.get(pk=choose(self.channels))).pk for _ in range(4)]
        self.note()

    def _add(self, channel):
        return ContentFactory(
            channel=channel,
            title=self.choose(NAMES),
            add_date=datetime(2018, 3, 4),
            is_checked=self.choose([True, False]),
        )

    def make(self):
        acts = [
            *(self._move, self._edit, self._edit, self._check, self._trash, self._restore, self._change_channel),
            *(self._move_channel, self._trash_channel, self._restore_channel, self._change_site),
        ]
        try:
            self.choose(acts)()
        except ServiceError:  # such as a content in a trashed channel
            return
        self.note()

    def note(self):
        for record, address in self.pages().items():
            self.once.setdefault(address, set()).add(record)

    def pages(self):
        """The addresses of the public channels and contents."""
        tree = read_tree(self.site.pk)
        found = {("channel", pk): tree.channels[pk]["navigationUrl"] for pk in self.channels if pk in tree.channels}
        public = Content.objects.filter(site=self.site, is_checked=True, trashed_at=None).values_list("pk", flat=True)
        return found | {("content", pk): url for pk, url in content_addresses(self.site.pk, set(public)).items()}

    def _seen(self):
        return [Seen(self.site.pk, self.choose(self.contents))]

    def _move(self):
        move_contents(self._seen(), self.choose(self.channels))

    def _edit(self):
        values = self.choose([{"title": self.choose(NAMES)}, {"add_date": datetime(self.choose([2019, 2020]), 1, 2)}])
        custom = self.choose([{}, {"colour": self.choose(["", "red", "a/b"])}])
        update_contents(self._seen(), [Members(values, custom)], "anna")

    def _check(self):
        update_contents(self._seen(), [Members({"is_checked": self.choose([True, False])}, {})], "anna")

    def _trash(self):
        trash_contents(self._seen())

    def _restore(self):
        restore_contents(self._seen())

    def _change_channel(self):
        name, pool = self.choose(
            [
                ("channel_name", NAMES),
                ("content_file_path_rule", CONTENT_RULES),
                ("channel_file_path_rule", CHANNEL_RULES),
                ("file_path", ["", "/one.html", "/two/", "@/three/index.html"]),
            ]
        )
        services.update_channel(self.site.pk, self.choose(self.channels), Members({name: self.choose(pool)}, {}))

    def _move_channel(self):
        services.move_channel(
            self.site.pk, self.choose(self.channels), self.choose([self.site.pk, *self.channels]), None
        )

    def _trash_channel(self):
        services.trash_channel(self.site.pk, self.choose(self.channels))

    def _restore_channel(self):
        services.restore_channel(self.site.pk, self.choose(self.channels))

    def _change_site(self):
        rules = {"channelFilePathRule": self.choose(CHANNEL_RULES), "contentFilePathRule": self.choose(CONTENT_RULES)}
        self.site.settings = rules
        change_site(self.site)


@pytest.mark.parametrize("seed", range(12))
def test_no_address_is_lost(client, seed):
    changes = Changes(random.Random(seed).choice)
    for _ in range(25):
        changes.make()
    current, addresses = changes.pages(), read_addresses(changes.site.pk)
    for address, records in changes.once.items():
        answer = client.get(quote(address))
        if addresses.find(address):
            assert answer.status_code == 200
            continue
        places = {quote(current[record]) for record in records if record in current}
        if answer.status_code == 301:
            assert answer.headers["Location"] in places, address
            assert client.get(answer.headers["Location"]).status_code == 200
        else:
            assert answer.status_code == 404
            assert not records <= current.keys(), address
