"""Changes of channels and contents at the same time: each happens wholly or not at all, and none waits for ever."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from random import Random

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.models import F

from channels_app.models import Channel
from channels_app.services import restore_channel, trash_channel
from contents.models import Content
from core.lib.errors import ServiceError
from core.rest.errors import status_of
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db(transaction=True)
IS_POSTGRESQL = connections["default"].vendor == "postgresql"
THREADS = 8
ACTS = 60 if IS_POSTGRESQL else 12  # of each thread; SQLite has one writer at a time
needs_row_locks = pytest.mark.skipif(not IS_POSTGRESQL, reason="SQLite has one writer at a time.")


def assert_sound():
    for command in ("check_tree", "check_lists"):
        out = StringIO()
        try:
            call_command(command, stdout=out)
        except SystemExit:
            pytest.fail(out.getvalue())
    assert not Content.objects.live().exclude(channel__trashed_at=None).exists()


class Actor:
    """Does things to channels and contents at random; notes the status of each answer."""

    def __init__(self, seed, site_ids):
        self.random = Random(seed)
        self.site_ids = site_ids
        self.statuses = []

    def __call__(self, client):
        for _ in range(ACTS):
            act = self.random.choice([
                self.create, self.create, self.move, self.move, self.delete, self.restore,
                self.write, self.write, self.edit, self.rename,
            ])  # fmt: skip
            self.statuses.append((act.__name__, act(client, self.random.choice(self.site_ids))))
        return self.statuses

    def pick(self, rows):
        ids = list(rows.values_list("pk", flat=True))
        return self.random.choice(ids) if ids else 0

    def channel(self, site_id):
        return self.pick(Channel.objects.live().filter(site_id=site_id))

    def create(self, client, site_id):
        body = {"channelName": "x", "parentId": self.channel(site_id)}
        return client.post(f"/api/v1/channels/{site_id}", body).status_code

    def move(self, client, site_id):
        parent_id = self.channel(site_id)
        before = self.random.choice([None, self.pick(Channel.objects.filter(parent_id=parent_id))])
        place = {"parentId": parent_id, "before": before or None}
        return client.post(f"/api/v1/channels/{site_id}/{self.channel(site_id)}/actions/move", place).status_code

    def delete(self, client, site_id):
        return client.delete(f"/api/v1/channels/{site_id}/{self.channel(site_id)}").status_code

    def restore(self, client, site_id):
        trashed = Channel.objects.filter(site_id=site_id, trashed_with_id=F("pk"))
        try:
            restore_channel(site_id, self.pick(trashed))
        except ServiceError as refusal:
            return status_of(refusal)
        return 200

    def rename(self, client, site_id):
        body = {"indexName": self.random.choice("abc"), "isContentAddable": True}
        return client.put(f"/api/v1/channels/{site_id}/{self.channel(site_id)}", body).status_code

    def write(self, client, site_id):
        body = {"title": "x", "tags": self.random.choice(["a", "b", "a,b"]), "isHot": self.random.random() < 0.5}
        return client.post(f"/api/v1/contents/{site_id}/{self.channel(site_id)}", body).status_code

    def edit(self, client, site_id):
        content = Content.objects.filter(pk=self.pick(Content.objects.in_site(site_id))).first()
        if content is None:
            return 404
        body = {"tags": self.random.choice(["", "a", "c"]), "isTop": self.random.random() < 0.5, "taxis": 3}
        return client.put(f"/api/v1/contents/{site_id}/{content.channel_id}/{content.pk}", body).status_code


@pytest.mark.parametrize("seed", range(2))
def test_any_changes_at_once_leave_everything_right(api, seed):
    sites = [SiteFactory() for _ in range(2)]
    for site in sites:
        for _ in range(3):
            ContentFactory(channel=ChannelFactory(parent=ChannelFactory(site=site)))
    actors = [Actor(100 * seed + number, [site.pk for site in sites]) for number in range(THREADS)]
    statuses = {status for done in at_once(api.token, *actors) for status in done}
    # 404 and 400: what was chosen a moment ago is somewhere else, or in the trash.
    assert {status for _, status in statuses} <= {200, 400, 404}
    assert {"create", "write"} <= {name for name, status in statuses if status == 200}
    assert_sound()


def test_of_parallel_creates_with_one_index_exactly_one_succeeds(api):
    site = SiteFactory()
    body = {"channelName": "x", "indexName": "news"}
    answers = at_once(api.token, *[lambda client: client.post(f"/api/v1/channels/{site.pk}", body)] * 6)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 5
    for answer in answers:
        if answer.status_code == 400:
            assert_error(answer, 400, "name_taken")
    assert Channel.objects.filter(site=site, index_name="news").count() == 1
    assert_sound()


def test_of_parallel_updates_to_one_file_path_exactly_one_succeeds(api):
    site = SiteFactory()
    channels = [ChannelFactory(site=site) for _ in range(6)]
    acts = [
        lambda client, path=f"/api/v1/channels/{site.pk}/{channel.pk}": client.put(path, {"filePath": "/a"})
        for channel in channels
    ]
    assert sorted(answer.status_code for answer in at_once(api.token, *acts)) == [200] + [400] * 5


def test_of_parallel_deletes_exactly_one_succeeds(api):
    channel = ChannelFactory()
    path = f"/api/v1/channels/{channel.site_id}/{channel.pk}"
    answers = at_once(api.token, *[lambda client: client.delete(path)] * 6)
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
    assert_sound()


def test_parallel_moves_below_each_other_make_no_circle(api):
    site = SiteFactory()
    a, b = ChannelFactory(site=site), ChannelFactory(site=site)

    def move(channel, parent):
        path = f"/api/v1/channels/{site.pk}/{channel.pk}/actions/move"
        return lambda client: client.post(path, {"parentId": parent.pk}).status_code

    assert sorted(at_once(api.token, move(a, b), move(b, a))) == [200, 400]
    assert_sound()


def test_a_content_written_while_its_channel_is_deleted_never_stays_behind(api):
    for _ in range(5):
        channel = ChannelFactory(parent=ChannelFactory())
        path, body = f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "x", "tags": "a"}
        delete = f"/api/v1/channels/{channel.site_id}/{channel.parent_id}"
        deleted, *written = at_once(
            api.token,
            lambda client, delete=delete: client.delete(delete).status_code,
            *[lambda client, path=path, body=body: client.post(path, body).status_code] * 4,
        )
        assert deleted == 200
        assert set(written) <= {200, 404}
        assert Content.objects.filter(channel=channel).count() == written.count(200)
        assert not Content.objects.live().filter(channel=channel).exists()
    assert_sound()


# ---- the same, one step at a time: who comes second waits, and then finds what the first one left


def wait_for_waiter():
    """Return once another connection waits for a lock that somebody holds."""
    for _ in range(100_000):
        with connection.cursor() as cursor:
            # Within a transaction the list of connections is that of the first look at it.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT COUNT(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
                "WHERE NOT l.granted AND a.datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
    pytest.fail("Nobody waits for a lock.")


def send(token, method, path, body=None):
    """The answer to a request that waits until the transaction of this thread is over."""

    def run():
        try:
            return getattr(ApiClient(token), method)(path, body)
        finally:
            connections.close_all()

    pool = ThreadPoolExecutor(1)
    answer = pool.submit(run)
    wait_for_waiter()
    pool.shutdown(wait=False)
    return answer


@needs_row_locks
@pytest.mark.parametrize("body", [{"title": "x"}, {"title": "x", "theme": "dark"}])
def test_a_content_that_comes_after_the_deletion_of_its_channel_is_404(api, body):
    channel = ChannelFactory(parent=ChannelFactory())
    with transaction.atomic():
        trash_channel(channel.site_id, channel.parent_id)
        answer = send(api.token, "post", f"/api/v1/contents/{channel.site_id}/{channel.pk}", body)
    assert_error(answer.result(30), 404, "channel_not_found")
    assert not Content.objects.exists()
    assert_sound()


@needs_row_locks
def test_a_change_of_a_content_that_comes_after_the_deletion_of_its_channel_is_404(api):
    content = ContentFactory()
    with transaction.atomic():
        trash_channel(content.site_id, content.channel_id)
        path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
        answer = send(api.token, "put", path, {"tags": "a"})
    assert_error(answer.result(30), 404)
    assert Content.objects.get().trashed_at is not None
    assert_sound()


@needs_row_locks
def test_the_deletion_of_a_channel_takes_along_a_content_that_came_before_it(api):
    channel = ChannelFactory()
    with transaction.atomic():
        ContentFactory(channel=channel, tags="a")
        answer = send(api.token, "delete", f"/api/v1/channels/{channel.site_id}/{channel.pk}")
    assert answer.result(30).status_code == 200
    content = Content.objects.get()
    assert content.trashed_with_id == channel.pk
    assert content.trashed_at is not None
    assert_sound()


@needs_row_locks
def test_a_channel_that_comes_after_the_deletion_of_its_parent_is_400(api):
    channel = ChannelFactory()
    with transaction.atomic():
        trash_channel(channel.site_id, channel.pk)
        body = {"channelName": "x", "parentId": channel.pk}
        answer = send(api.token, "post", f"/api/v1/channels/{channel.site_id}", body)
    assert_error(answer.result(30), 400, "channel_not_found")
    assert_sound()


@needs_row_locks
@pytest.mark.parametrize("method", ["put", "post"])
def test_an_index_that_somebody_takes_past_the_lock_of_the_tree_is_400(api, method):
    site = SiteFactory()
    other, channel = ChannelFactory(site=site, channel_name="News"), ChannelFactory(site=site)
    path = f"/api/v1/channels/{site.pk}" + (f"/{channel.pk}" if method == "put" else "")
    with transaction.atomic():
        Channel.objects.filter(pk=other.pk).update(index_name="news")
        answer = send(api.token, method, path, {"channelName": "x", "indexName": "news"})
    message = assert_error(answer.result(30), 400, "name_taken")["message"]
    assert message == f'indexName "news" already belongs to channel {other.pk} (News).'
    assert Channel.objects.filter(site=site).count() == 3
    assert_sound()
