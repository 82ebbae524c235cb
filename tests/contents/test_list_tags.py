"""ETags of lists: the same as long as the answer is, another after whatever changes a byte of it."""

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from contents.models import Content, CustomField
from sites.models import Site
from tests.contents.asking import PATH
from tests.contents.asking import query as get
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world


@world
def content():
    return make_content()


def make_content():
    """A content with a body, of a site with a folder."""
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    CustomField.objects.create(site=channel.site, name="colour", folded_name="colour")
    return ContentFactory(channel=channel, title="a", content="body", is_checked=True, image_url="@/a.png")


def by_post(api, content, **headers):
    return api.post(PATH, {"siteId": content.site_id}, headers=headers)


def by_cursor(api, content, **headers):
    return api.post(PATH, {"siteId": content.site_id, "cursor": "", "perPage": 1}, headers=headers)


def by_rule(api, content, **headers):
    rule = {"column": "id", "operator": ">", "value": 0}
    return api.post(PATH, {"siteId": content.site_id, "wheres": [rule]}, headers=headers)


def by_get(api, content, **headers):
    return api.get(f"/api/v1/contents/{content.site_id}/{content.channel_id}", headers=headers)


def short(api, content, **headers):
    fields = ["navigationUrl", "title", "content", "imageUrl", "colour", "hits"]
    return api.post(PATH, {"siteId": content.site_id, "fields": fields}, headers=headers)


WAYS = [by_post, by_cursor, by_rule, by_get, short]
way = pytest.mark.parametrize("ask", WAYS)


def put(api, changed, **members):
    path = f"/api/v1/contents/{changed.site_id}/{changed.channel_id}/{changed.pk}"
    assert api.put(path, members).status_code == 200


def refer(api, content):
    """To a content of another channel, whose link then changes."""
    target = ContentFactory(channel=ChannelFactory(site=content.site), is_checked=True, link_url="/old")
    Content.objects.filter(pk=content.pk).update(reference_id=target.pk)
    yield
    Content.objects.filter(pk=target.pk).update(link_url="/new")
    yield


def count_pages(api, content):
    """By the number of approved contents before, of which there then is one more."""
    Site.objects.filter(pk=content.site_id).update(settings={"contentFilePathRule": "/{@sequence}.html"})
    Content.objects.filter(pk=content.pk).update(taxis=5)
    yield
    ContentFactory(channel=content.channel, taxis=1, is_checked=True)
    yield


def once(change):
    def steps(api, content):
        yield
        change(api, content)
        yield

    return steps


def rename(content):
    site = Site.objects.get(pk=content.site_id)
    site.site_dir = "harbour"
    site.save()


def update(content, **values):
    """As by hand, past the services."""
    Content.objects.filter(pk=content.pk).update(**values)


def name_pages(content):
    Channel.objects.filter(pk=content.channel_id).update(content_file_path_rule="/x/{@contentId}.html")


CHANGES = {
    "title": once(lambda api, content: put(api, content, title="b")),
    "body": once(lambda api, content: put(api, content, content="other")),
    "hits": once(lambda api, content: update(content, hits=1)),
    "custom field": once(lambda api, content: put(api, content, colour="red")),
    "trash": once(lambda api, content: update(content, trashed_at=datetime(2020, 1, 1))),
    "another content": once(lambda api, content: ContentFactory(channel=content.channel, is_checked=True, taxis=99)),
    "rule of the channel": once(lambda api, content: name_pages(content)),
    "folder of the site": once(lambda api, content: rename(content)),
    "what it refers to": refer,
    "contents before it": count_pages,
}


@way
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_the_answer_changes_the_tag(api, content, ask, change):
    steps = change(api, content)
    next(steps)
    before = ask(api, content)
    tag = before.headers["ETag"]
    assert ask(api, content).headers["ETag"] == tag
    assert ask(api, content, If_None_Match=tag).status_code == 304
    next(steps)
    after = ask(api, content, If_None_Match=tag)
    assert (after.status_code == 200) == (ask(api, content).content != before.content)
    assert after.status_code == 200
    assert after.headers["ETag"] != tag


def test_answers_of_other_shapes_have_other_tags(api, content):
    bodies = [
        {}, {"perPage": 5, "cursor": ""}, {"count": "none"}, {"fields": ["title"]}, {"fields": ["title", "hits"]},
        {"fields": ["hits"]}, {"count": "none", "cursor": ""},
    ]  # fmt: skip
    tags = [api.post(PATH, {"siteId": content.site_id, **body}).headers["ETag"] for body in bodies]
    gets = [get(api, f"/api/v1/contents/{content.site_id}", **more).headers["ETag"] for more in ({}, {"fields": "id"})]
    assert len({*tags, *gets}) == len(bodies) + len(gets)


@way
def test_a_tag_costs_no_statement(api, content, ask):
    ask(api, content)
    with CaptureQueriesContext(connection) as captured:
        ask(api, content)
    # Besides, a list within a limit of time sets it.
    reading = [query["sql"] for query in captured if "contents_" in query["sql"]]
    assert len(reading) == (2 if ask is short else 1)
