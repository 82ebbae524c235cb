"""`DELETE /channels/{siteId}/{channelId}`, and the way back from the trash."""

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from channels_app.services import move_channel, restore_channel
from channels_app.tree_fields import Survey
from contents.models import Content
from contents.services.trash import purge_channel
from core.lib.errors import InvalidInput, NotFound
from tests.assertions import assert_error
from tests.contents.asking import titles
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


def address(channel, site=None, id=None):
    return f"/api/v1/channels/{channel.site_id if site is None else site}/{channel.pk if id is None else id}"


class Family:
    """home (a (b (c)), d), with a content in each but b."""

    def __init__(self):
        self.site = SiteFactory()
        self.home = Channel.objects.get(pk=self.site.pk)
        self.a = ChannelFactory(site=self.site)
        self.b = ChannelFactory(parent=self.a, index_name="news", file_path="/news.html")
        self.c = ChannelFactory(parent=self.b)
        self.d = ChannelFactory(site=self.site)
        for name in ("home", "a", "c", "d"):
            ContentFactory(channel=getattr(self, name), title=f"in {name}", tags="t", is_checked=True)


@world
def family():
    return Family()


def delete(api, channel):
    response = api.delete(address(channel))
    assert response.status_code == 200, response.content
    return response.json()["value"]


def restore(channel):
    restore_channel(channel.site_id, channel.pk)


def stored():
    return [list(model.objects.order_by("pk").values()) for model in (Channel, Content)]


def assert_tree(site):
    assert Survey(site.pk).problems == []
    assert_derived()


def without_traces(rows):
    """Rows without their version."""
    return [{name: value for name, value in row.items() if name != "version"} for row in rows]


def test_answers_the_channel_as_it_was(api, family):
    before = api.get(address(family.b)).json()
    response = api.delete(address(family.b))
    assert response.status_code == 200
    assert response.json() == before
    assert [child["id"] for child in before["value"]["children"]] == [family.c.pk]


def test_everything_below_it_and_its_contents_are_gone_from_every_read(api, family):
    content = family.c.contents.get()
    delete(api, family.a)
    for channel in (family.a, family.b, family.c):
        assert_error(api.get(address(channel)), 404, "channel_not_found")
    (record,) = api.get(f"/api/v1/channels/{family.site.pk}").json()["value"]
    assert (record["id"], record["taxis"], record["isLastNode"]) == (family.d.pk, 2, True)
    assert api.get(address(family.home)).json()["value"]["childrenCount"] == 1
    assert_error(api.get(f"/api/v1/contents/{family.site.pk}/{family.c.pk}/{content.pk}"), 404, "channel_not_found")
    assert sorted(titles(api, family.site)) == ["in d", "in home"]
    assert sorted(titles(api, family.site, tagNames=["t"])) == ["in d", "in home"]
    assert sorted(titles(api, family.site, channelId=family.site.pk, checked=True)) == ["in d", "in home"]
    for channel in (family.a, family.c):
        body = {"siteId": family.site.pk, "channelId": channel.pk}
        assert_error(api.post("/api/v1/contents", body), 400, "channel_not_found")
        assert_error(api.post(f"/api/v1/contents/{family.site.pk}/{channel.pk}", {"title": "x"}), 404)
    assert_tree(family.site)


def test_what_is_deleted_is_kept_in_the_trash(api, family):
    started = datetime.now().replace(microsecond=0)
    delete(api, family.b)
    for each in (*Channel.objects.filter(pk__in=[family.b.pk, family.c.pk]), family.c.contents.get()):
        assert started <= each.trashed_at <= datetime.now()
        assert each.trashed_with_id == family.b.pk
        assert each.version == 2
    assert set(Channel.objects.live()) == {family.home, family.a, family.d}
    assert set(Content.objects.live().values_list("title", flat=True)) == {"in home", "in a", "in d"}
    assert_tree(family.site)


def test_the_number_of_queries_does_not_grow_with_what_is_below(api):
    counts = []
    for size in (2, 20):
        channel = ChannelFactory()
        for _ in range(size):
            ContentFactory(channel=ChannelFactory(parent=channel))
        delete(api, ChannelFactory())  # what is asked once in a process was asked
        api.get(address(channel))
        with CaptureQueriesContext(connection) as queries:
            delete(api, channel)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_home_channel_is_not_deleted(api, family):
    before = stored()
    for channel_id in (family.home.pk, 0):
        message = assert_error(api.delete(address(family.home, id=channel_id)), 400, "home_channel")["message"]
        assert message == "The home channel cannot be deleted; it is the site itself."
    assert stored() == before


def test_what_was_deleted_is_404(api, family):
    delete(api, family.a)
    before = stored()
    for channel in (family.a, family.b, family.c):
        assert_error(api.delete(address(channel)), 404, "channel_not_found")
    assert stored() == before


@pytest.mark.parametrize("wrong,code", [
    ({"site": 0}, "site_not_found"),
    ({"id": -1}, "channel_not_found"),
    ({"id": 2**63 - 1}, "channel_not_found"),
    ({"id": 10**40}, "route_not_found"),
])  # fmt: skip
def test_is_404_for_what_does_not_exist(api, family, wrong, code):
    assert_error(api.delete(address(family.a, **wrong)), 404, code)
    assert_error(api.delete(address(family.a, site=SiteFactory().pk)), 404, "channel_not_found")
    assert Channel.objects.filter(trashed_at=None).count() == Channel.objects.count()


def test_index_and_file_path_are_free_again(api, family):
    delete(api, family.b)
    body = {"channelName": "x", "indexName": "news", "filePath": "/news.html"}
    assert api.post(f"/api/v1/channels/{family.site.pk}", body).status_code == 200


def test_needs_the_scope_to_write_and_the_site(client_with_key, stranger, family):
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    before = stored()
    assert_error(stranger.delete(address(family.a)), 401, "key_missing")
    assert_error(client_with_key(scopes="Channels:read").delete(address(family.a)), 401, "scope_missing")
    assert_error(elsewhere.delete(address(family.a)), 401, "site_not_allowed")
    assert stored() == before


# ---- the way back


def test_the_same_channels_and_contents_come_back(api, family):
    before = [without_traces(rows) for rows in stored()]
    delete(api, family.d)  # the last channel: it comes back to where it was
    restore(family.d)
    assert [without_traces(rows) for rows in stored()] == before
    delete(api, family.b)
    restore(family.b)
    assert [without_traces(rows) for rows in stored()] == before
    assert sorted(titles(api, family.site, channelId=family.b.pk)) == ["in c"]
    assert_tree(family.site)


@pytest.mark.parametrize("back", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
def test_those_that_were_deleted_one_after_the_other_come_back_to_their_places(api, back):
    home = Channel.objects.get(pk=SiteFactory().pk)
    made = {name: ChannelFactory(parent=home) for name in "abcd"}
    for name in "abc":
        delete(api, made[name])
    ChannelFactory(parent=made["d"])  # meanwhile the numbers of the tree change
    for name in back:
        restore(made[name])
    value = api.get(f"/api/v1/channels/{home.pk}").json()["value"]
    assert [record["id"] for record in value] == [made[name].pk for name in "abcd"]
    assert [record["taxis"] for record in value] == [2, 3, 4, 5]
    assert_tree(home.site)


def test_it_comes_back_as_the_last_child_where_the_next_one_is_gone(api, family):
    delete(api, family.a)
    delete(api, family.d)
    purge_channel(family.site.pk, family.d.pk)
    other = ChannelFactory(parent=family.home)
    restore(family.a)
    value = api.get(f"/api/v1/channels/{family.site.pk}").json()["value"]
    assert [(record["id"], record["taxis"], record["isLastNode"]) for record in value] == [
        (other.pk, 2, False),
        (family.a.pk, 3, True),
    ]
    assert value[1]["children"][0]["children"][0]["id"] == family.c.pk
    assert_tree(family.site)


def test_it_comes_back_below_a_parent_that_was_moved(api, family):
    delete(api, family.b)
    move_channel(family.site.pk, family.a.pk, family.d.pk, None)
    restore(family.b)
    value = api.get(address(family.c)).json()["value"]
    assert value["parentsPath"] == ",".join(str(one.pk) for one in (family.home, family.d, family.a, family.b))
    assert (value["parentsCount"], value["taxis"]) == (4, 5)
    assert sorted(titles(api, family.site, channelId=family.d.pk)) == ["in a", "in c", "in d"]
    assert_tree(family.site)


def test_what_was_deleted_before_it_stays_in_the_trash(api, family):
    content = family.a.contents.get()
    api.delete(f"/api/v1/contents/{family.site.pk}/{family.a.pk}/{content.pk}")
    delete(api, family.c)
    delete(api, family.a)
    restore(family.a)
    assert set(Channel.objects.live()) == {family.home, family.a, family.b, family.d}
    assert sorted(titles(api, family.site)) == ["in d", "in home"]
    assert_tree(family.site)
    restore(family.c)
    assert sorted(titles(api, family.site)) == ["in c", "in d", "in home"]
    assert_tree(family.site)


def refuse_restore(kind, channel):
    before = stored()
    with pytest.raises(kind) as caught:
        restore(channel)
    assert stored() == before
    return caught.value.message


def test_what_is_not_in_the_trash_by_its_own_deletion_does_not_come_back(api, family):
    for channel in (family.a, family.home):
        assert "is not in the trash" in refuse_restore(NotFound, channel)
    delete(api, family.a)
    assert "is not in the trash" in refuse_restore(NotFound, family.b)


def test_what_is_below_the_trash_does_not_come_back_alone(api, family):
    delete(api, family.b)
    delete(api, family.a)
    message = refuse_restore(InvalidInput, family.b)
    assert message == f"Its parent, channel {family.a.pk}, is in the trash."
    restore(family.a)
    restore(family.b)
    assert_tree(family.site)


@pytest.mark.parametrize("taken", [{"index_name": "news"}, {"file_path": "/news.html"}])
def test_what_has_lost_its_name_does_not_come_back(api, family, taken):
    delete(api, family.a)
    other = ChannelFactory(site=family.site, **taken)
    assert "has taken the index name or the file path" in refuse_restore(InvalidInput, family.a)
    Channel.objects.filter(pk=other.pk).update(**dict.fromkeys(taken, ""))
    restore(family.a)
    assert_tree(family.site)


def test_another_site_brings_nothing_back(api, family):
    delete(api, family.a)
    with pytest.raises(NotFound):
        restore_channel(SiteFactory().pk, family.a.pk)
