"""Renders templates on the site of the tests: a museum with two channels of news."""

from dataclasses import dataclass, field
from types import SimpleNamespace

from channels_app.tree import read_tree
from pages.models import Template, TemplateKind
from pages.rendering import PageRequest, render
from tests.factories import ChannelFactory, ContentFactory, SiteFactory


@dataclass
class Museum:
    """Channels: home, News (index news) with Reports (reports) and Talks (talks), and About (about).

    News itself has the contents First to Fourth, newest first in lists; Reports has one, Talks none.
    """

    site: object = field(default_factory=lambda: SiteFactory(site_dir="museum", site_name="Harbour museum"))

    def __post_init__(self):
        self.home = self.site.channels.get(parent=None)
        self.news = ChannelFactory(site=self.site, channel_name="News", index_name="news", image_url="@/news.png")
        self.reports = ChannelFactory(parent=self.news, channel_name="Reports", index_name="reports")
        self.talks = ChannelFactory(parent=self.news, channel_name="Talks & more", index_name="talks")
        self.about = ChannelFactory(site=self.site, channel_name="About", index_name="about")
        self.contents = [
            ContentFactory(
                channel=self.news, title=title, taxis=taxis, is_checked=True, tags=tags, summary="", image_url=""
            )
            for taxis, (title, tags) in enumerate(
                [("First", "ship"), ("Second", "ship,harbour"), ("Third", ""), ("Fourth", "crane")], 1
            )
        ]
        self.report = ContentFactory(channel=self.reports, title="Report", is_checked=True)

    def show(self, text, channel=None, content=None, **given):
        return self.page(text, channel, content, **given).html

    def page(self, text, channel=None, content=None, *, number=1, query=None, kind=TemplateKind.CHANNEL, **includes):
        """The page that a template makes of a channel or a content; includes by name, without `.html`."""
        for name, included in includes.items():
            Template.objects.update_or_create(
                site=self.site, kind=TemplateKind.INCLUDE, name=f"include/{name}.html", defaults={"text": included}
            )
        tree = read_tree(self.site.pk)
        channel_id = content.channel_id if content else (channel or self.home).pk
        template = SimpleNamespace(pk=0, version=1, name="T", kind=kind, text=text)
        content_id = content.pk if content else 0
        url = f"/museum/contents/{channel_id}/{content_id}.html" if content else f"/museum/channels/{channel_id}.html"
        return render(PageRequest(tree, template, tree.channels[channel_id], content_id, number, query or {}, url))
