"""`Idempotency-Key`: a POST that is sent again does nothing again and is answered as it was the first time."""

import hashlib
import io
from datetime import timedelta
from itertools import chain, repeat

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from accounts.models import Administrator, EndedToken, User, UserLog
from apikeys.models import ApiKey
from channels_app.models import Channel
from contents.models import Content
from contents.services import single
from core.audit.models import AuditEntry
from core.lib import clock
from core.models import IdempotencyRecord
from core.operation import nodes
from core.operation.models import RestartRequest
from core.rest import idempotency
from core.rest.aliases import ALIASES
from core.rest.operations import PREFIX, operations
from media_library.models import MediaFile
from tests.accounts.forms import keep_media_in, stored_files
from tests.accounts.picture_files import plain, saved
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import (
    AdministratorFactory,
    ApiKeyFactory,
    ChannelFactory,
    ContentFactory,
    SiteFactory,
    UserFactory,
)
from tests.wire.addresses import creation
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db
PNG, OTHER_PNG = saved(plain((40, 30)), "PNG"), saved(plain((20, 30)), "PNG")
OLD, NEW = "lantern-27", "harbour-28"
MD5_OF_OLD = hashlib.md5(OLD.encode(), usedforsecurity=False).hexdigest()
MODELS = [User, Administrator, UserLog, EndedToken, Channel, Content, RestartRequest, Webhook]


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """An empty folder for the files of a test."""
    (tmp_path / "media").mkdir()
    keep_media_in(settings, tmp_path / "media")


@pytest.fixture(autouse=True)
def loopback_is_allowed(settings):
    settings.CMS_WEBHOOK_NETWORKS = ["127.0.0.0/8"]


@pytest.fixture(autouse=True)
def restarts(monkeypatch):
    """Lets a test say whether the server can restart, as far as a request is concerned; at first it can."""

    def set_possible(possible):
        monkeypatch.setattr(nodes, "obstacle", lambda: "" if possible else "it is a test.")

    set_possible(True)
    return set_possible


def once(name="a"):
    """The header, as the test client takes it."""
    return {"HTTP_IDEMPOTENCY_KEY": name}


def form(picture):
    """A form with one file, and its media type."""
    head = b'--b\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n\r\n'
    return head + picture + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"


class Place:
    """What the paths below are about."""

    def __init__(self):
        self.channel = ChannelFactory(parent=ChannelFactory())
        self.content = ContentFactory(channel=self.channel)
        self.user, self.administrator = UserFactory(), AdministratorFactory()
        self.webhook = Webhook.create({"name": "Index", "url": "http://127.0.0.1:9999/"}, 0)
        self.file = MediaFile.objects.create(site=self.channel.site, path="upload/a.txt", kind="document", bytes=1)
        for account in (self.user, self.administrator):
            account.set_password(OLD)
            account.save()

    def path(self, path):
        """The path with the numbers of these records, where parameters stand."""
        records = {"contents": self.content, "administrators": self.administrator, "webhooks": self.webhook}
        record = (records | {"media": self.file}).get(path.split("/")[1], self.user)
        numbers = {"siteId": self.channel.site_id, "channelId": self.channel.pk, "id": record.pk}
        for name, number in numbers.items():
            path = path.replace(f"{{{name}}}", str(number))
        return PREFIX + path

    def check(self):
        return {"siteId": self.content.site_id, "contents": [{"channelId": self.channel.pk, "id": self.content.pk}]}

    def reset(self, account):
        return {"account": account.user_name, "password": MD5_OF_OLD, "newPassword": NEW}


BODIES = {
    "/actions/restart": lambda place: {},
    "/channels/{siteId}": lambda place: {"parentId": place.channel.pk, "channelName": "New"},
    "/channels/{siteId}/{channelId}/actions/move": lambda place: {"parentId": place.channel.site_id},
    "/contents/{siteId}/{channelId}": lambda place: {"title": "New", "tags": "a", "further": 1},
    "/contents/{siteId}/{channelId}/{id}/preview": lambda place: {},
    "/contents/{siteId}/{channelId}/batch": lambda place: {"contents": [{"title": "New"}, {"title": "Newer"}]},
    "/contents/{siteId}/{channelId}/batch/check": lambda place: {"ids": [place.content.pk]},
    "/contents/{siteId}/{channelId}/batch/move": lambda place: {
        "ids": [place.content.pk],
        "targetChannelId": place.channel.parent_id,
        "atomic": False,
    },
    "/contents/{siteId}/{channelId}/batch/delete": lambda place: {"ids": [place.content.pk], "atomic": False},
    "/contents/check": Place.check,
    "/contents/actions/check": Place.check,
    "/media/{siteId}": lambda place: {"name": "a.txt", "content": "QQ=="},
    "/media/{siteId}/folders": lambda place: {"name": "Press"},
    "/media/{siteId}/{id}/file": lambda place: {"name": "a.txt", "content": "Qg=="},
    "/users": lambda place: {"userName": "reader1", "password": OLD},
    "/users/{id}/avatar": lambda place: None,
    "/users/{id}/logs": lambda place: {"action": "a"},
    "/users/{id}/actions/resetPassword": lambda place: {"password": OLD, "newPassword": NEW},
    "/users/actions/resetPassword": lambda place: place.reset(place.user),
    "/users/actions/logout": lambda place: {},
    "/administrators": lambda place: {"userName": "editor1", "password": OLD},
    "/administrators/actions/resetPassword": lambda place: place.reset(place.administrator),
    "/administrators/actions/logout": lambda place: {},
    "/webhooks": lambda place: {"name": "Other", "url": "https://hooks.example.org/"},
    "/webhooks/{id}/test": lambda place: {},
    "/webhooks/{id}/secret": lambda place: {},
    "/webhooks/{id}/replay": lambda place: {"deliveryIds": []},
    **{alias.path: lambda place: {} for alias in ALIASES},
}


def send(client, place, path, **headers):
    """The request of the table above."""
    if path == "/users/{id}/avatar":
        return client.send("POST", place.path(path), *form(PNG), **headers)
    return client.post(place.path(path), BODIES[path](place), **headers)


def state():
    """What the requests of the table above write."""
    return [list(model.objects.order_by("pk").values()) for model in MODELS], AuditEntry.objects.count()


# One path of each class: JSON that makes a record or changes some, a file, a hashed password, an act on another server,
# an alias.
OF_EACH_CLASS = [
    "/contents/{siteId}/{channelId}",
    "/contents/{siteId}/{channelId}/batch/move",
    "/users",
    "/users/{id}/avatar",
    "/users/actions/resetPassword",
    "/webhooks/{id}/test",
    ALIASES[0].path,
]

# Those whose views store the answer themselves, or look at further headers.
STORING = {
    "/actions/restart",
    "/media/{siteId}",
    "/media/{siteId}/{id}/file",
    "/users/{id}/avatar",
    "/users/{id}/actions/resetPassword",
    "/users/actions/resetPassword",
    "/users/actions/logout",
    "/administrators/actions/resetPassword",
    "/administrators/actions/logout",
    "/webhooks/{id}/test",
}


def test_every_post_that_writes_is_looked_at_here():
    posts = {each.path for each in operations() if each.method == "POST" and each.needs_key and not each.is_read}
    assert posts == BODIES.keys()
    place = Place()
    views = {path: resolve(place.path(path)).func.view_class for path in posts}
    assert {path for path, view in views.items() if view.stores_by_itself or view.deciding_headers} == STORING


@pytest.mark.parametrize("path", sorted({*OF_EACH_CLASS, *STORING}))
def test_the_same_request_is_answered_again_and_does_nothing(api, path):
    place = Place()
    first = send(api, place, path, **once())
    assert first.status_code == 200, first.content
    assert "Idempotency-Replayed" not in first.headers
    after = state()
    again = send(api, place, path, **once())
    assert (again.status_code, again.content, again.headers["Idempotency-Replayed"]) == (200, first.content, "true")
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert state() == after


@pytest.mark.parametrize("path", OF_EACH_CLASS)
def test_an_answer_is_the_same_with_a_key_as_without(api, path):
    place = Place()
    name = {"/users": "userName", "/administrators": "userName"}.get(path)
    plain, keyed = send(api, place, path), None
    if name is None and "resetPassword" not in path and not path.endswith("/delete"):
        keyed = send(api, place, path, **once())
        assert keyed.headers["Content-Type"] == plain.headers["Content-Type"]
        assert keyed.json().keys() == plain.json().keys()
    assert plain.status_code == 200


@pytest.mark.parametrize("path", OF_EACH_CLASS)
def test_a_request_without_the_header_knows_nothing_of_it(api, path):
    place = Place()
    with CaptureQueriesContext(connection) as made:
        assert send(api, place, path).status_code == 200
    assert not [query for query in made if "idempotencyrecord" in query["sql"]]
    assert not IdempotencyRecord.objects.exists()


def test_the_same_key_for_another_request_is_422(api):
    place = Place()
    send(api, place, "/users/{id}/logs", **once())
    path = place.path("/users/{id}/logs")
    assert_error(api.post(path, {"action": "b"}, **once()), 422, "idempotency_key_reused")
    assert_error(api.send("POST", path, b'{ "action": "a"}', **once()), 422, "idempotency_key_reused")
    other = f"/api/v1/users/{UserFactory().pk}/logs"
    assert_error(api.post(other, {"action": "a"}, **once()), 422, "idempotency_key_reused")
    assert UserLog.objects.count() == 1
    assert api.post(path, {"action": "b"}, **once("b")).status_code == 200


def test_the_same_key_for_another_file_is_422(api):
    user = UserFactory()
    path = f"/api/v1/users/{user.pk}/avatar"
    first = api.send("POST", path, *form(PNG), **once())
    kept = stored_files()
    assert_error(api.send("POST", path, *form(OTHER_PNG), **once()), 422, "idempotency_key_reused")
    assert api.send("POST", path, *form(PNG), **once()).content == first.content
    assert stored_files() == kept
    assert len(kept) == 1


def test_keys_of_the_api_have_names_of_their_own(api, client_with_key):
    channel = ChannelFactory()
    for client in (api, client_with_key()):
        assert "Idempotency-Replayed" not in client.post(creation(channel), {"title": "x"}, **once()).headers
    assert Content.objects.count() == 2


def test_a_refused_request_may_be_sent_again(api):
    channel = ChannelFactory(settings={"isContentAddable": False})
    assert_error(api.post(creation(channel), {"title": "x"}, **once()), 400, "channel_takes_no_contents")
    assert not IdempotencyRecord.objects.exists()
    Channel.objects.filter(pk=channel.pk).update(settings={})
    assert api.post(creation(channel), {"title": "x"}, **once()).status_code == 200


def test_a_restart_that_is_not_possible_is_no_answer_to_keep(api, restarts):
    restarts(False)
    for _ in range(2):
        refused = api.post("/api/v1/actions/restart", {}, **once())
        assert (refused.json(), "Idempotency-Replayed" in refused.headers) == ({"value": False}, False)
    assert not IdempotencyRecord.objects.exists()
    restarts(True)
    assert api.post("/api/v1/actions/restart", {}, **once()).json() == {"value": True}
    restarts(False)
    again = api.post("/api/v1/actions/restart", {}, **once())
    assert (again.json(), again.headers["Idempotency-Replayed"]) == ({"value": True}, "true")
    assert RestartRequest.objects.get().number == 1


def test_a_bug_leaves_neither_a_change_nor_an_answer(api, monkeypatch):
    channel = ChannelFactory()
    monkeypatch.setattr(idempotency, "_content", lambda response: 1 / 0)
    assert_error(api.post(creation(channel), {"title": "x"}, **once()), 500, "server_error")
    assert not Content.objects.exists()
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("name", ["", "x" * 256, "a\tb", "a\nb", "é", "键", "\x7f", "\x00"])
def test_a_key_that_is_none_is_400_but_for_what_comes_before(api, stranger, name):
    place = Place()
    path = place.path("/users/{id}/logs")
    assert_error(stranger.post(path, {}, **once(name)), 401, "key_missing")
    for missing in (
        "/api/v1/users/9999/logs", "/api/v1/users/9999/avatar", "/api/v1/users/9999/actions/resetPassword",
        "/api/v1/channels/9999", "/api/v1/channels/9999/9999/actions/move", "/api/v1/contents/9999/9999",
    ):  # fmt: skip
        assert_error(api.post(missing, {}, **once(name)), 404)
    assert_error(api.post(path, {}, **once(name)), 400, "invalid_idempotency_key")
    assert not UserLog.objects.exists()


def test_a_path_to_nothing_is_404_before_the_key_is_looked_at(api):
    place = Place()
    send(api, place, "/users/{id}/logs", **once())
    assert_error(api.post("/api/v1/users/9999/logs", {"action": "a"}, **once()), 404, "user_not_found")


@pytest.mark.parametrize("name", ["x" * 255, " ", "~!", '"quoted"', "3f0a7c1e-5b0f-4c57-a6e2-2d0c3f6f3f11"])
def test_any_printable_ascii_is_a_key(api, name):
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    api.post(path, {}, **once(name))
    assert api.post(path, {}, **once(name)).headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/users"),
        ("PUT", "/api/v1/users/{}"),
        ("POST", "/api/v1/contents"),
        ("DELETE", "/api/v1/users/{}"),
    ],
)
def test_other_methods_and_reads_ignore_the_header(api, method, path):
    user, site = UserFactory(), SiteFactory()
    for _ in range(2):
        response = api._send(method, path.format(user.pk), {"siteId": site.pk}, **once("\x00"))
        assert response.status_code in {200, 404}
    assert not IdempotencyRecord.objects.exists()


def test_open_endpoints_ignore_the_header(stranger):
    response = stranger.post("/api/v1/users/actions/login", {"account": "nobody", "password": OLD}, **once(""))
    assert_error(response, 400, "sign_in_failed")


def test_wrong_passwords_count_although_nothing_is_stored(api, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    place = Place()
    body = place.reset(place.user) | {"password": "0" * 32}
    path = place.path("/users/actions/resetPassword")
    codes = [api.post(path, body, **once()).json()["code"] for _ in range(3)]
    assert codes == ["sign_in_failed", "sign_in_failed", "too_many_failures"]


def test_a_token_decides_whose_sign_out_is_answered(api, stranger):
    place = Place()
    other = UserFactory()
    other.set_password(OLD)
    other.save()
    tokens = [
        stranger.post("/api/v1/users/actions/login", {"account": each.user_name, "password": OLD}).json()["accessToken"]
        for each in (place.user, other)
    ]
    path = "/api/v1/users/actions/logout"
    assert api.post(path, {}, HTTP_X_SS_USER_TOKEN=tokens[0], **once()).json()["value"]["id"] == place.user.pk
    assert_error(api.post(path, {}, HTTP_X_SS_USER_TOKEN=tokens[1], **once()), 422, "idempotency_key_reused")
    assert api.post(path, {}, HTTP_X_SS_USER_TOKEN=tokens[0], **once()).json()["value"]["id"] == place.user.pk


@pytest.mark.django_db(transaction=True)
def test_an_answer_belongs_to_the_api_key_and_not_to_its_token():
    key = ApiKeyFactory(scopes="Contents:write")
    channel = ChannelFactory()
    first = ApiClient(key.token).post(creation(channel), {"title": "x"}, **once())
    renewed = ApiClient(ApiKey.objects.get(pk=key.pk).reset())
    assert_error(ApiClient(key.token).post(creation(channel), {"title": "x"}, **once()), 401)
    assert renewed.post(creation(channel), {"title": "x"}, **once()).content == first.content
    ApiKey.objects.get(pk=key.pk).revoke()
    assert_error(renewed.post(creation(channel), {"title": "x"}, **once()), 401)


@pytest.mark.django_db(transaction=True)
def test_a_key_without_the_scope_or_site_gets_no_stored_answer():
    place = Place()
    key = ApiKeyFactory(scopes="Contents:write")
    paths = [("/contents/{siteId}/{channelId}", "a"), ("/contents/check", "b")]
    for path, name in paths:
        assert send(ApiClient(key.token), place, path, **once(name)).status_code == 200
    ApiKey.objects.get(pk=key.pk).change({"site_ids": str(SiteFactory().pk)})
    for path, name in paths:
        assert_error(send(ApiClient(key.token), place, path, **once(name)), 401, "site_not_allowed")
    ApiKey.objects.get(pk=key.pk).change({"scopes": "Contents:read", "site_ids": ""})
    for path, name in paths:
        assert_error(send(ApiClient(key.token), place, path, **once(name)), 401, "scope_missing")


def test_an_answer_outlives_what_it_tells_of(api):
    channel = ChannelFactory()
    first = api.post(creation(channel), {"title": "x"}, **once())
    api.delete(f"/api/v1/channels/{channel.site_id}/{channel.pk}")
    assert api.post(creation(channel), {"title": "x"}, **once()).content == first.content


def test_a_replay_counts_as_a_request(client_with_key):
    client = client_with_key(requests_per_minute=3)
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    assert [client.post(path, {}, **once()).status_code for _ in range(4)] == [200, 200, 200, 429]


def age(hours):
    IdempotencyRecord.objects.update(created_at=clock.now() - timedelta(hours=hours))


def test_an_answer_is_kept_for_a_day(api):
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    api.post(path, {}, **once())
    age(hours=23.9)
    assert api.post(path, {}, **once()).headers["Idempotency-Replayed"] == "true"
    age(hours=24.1)
    anew = api.post(path, {"action": "b"}, **once())
    assert (anew.status_code, "Idempotency-Replayed" in anew.headers) == (200, False)
    assert UserLog.objects.count() == 2
    assert api.post(path, {"action": "b"}, **once()).headers["Idempotency-Replayed"] == "true"


def test_answers_that_are_over_go_in_small_portions(api, monkeypatch):
    monkeypatch.setattr(idempotency, "SWEEP_ROWS", 3)
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    for number in range(5):
        IdempotencyRecord.objects.create(key_id=1, name=str(number), digest="", content=b"{}")
    age(hours=25)
    for name, left in (("a", 5 - 3 + 1), ("b", 2), ("c", 3)):
        api.post(path, {}, **once(name))
        assert IdempotencyRecord.objects.count() == left


@pytest.mark.parametrize("limit", [{"MAX_STORED": 2}, {"MAX_STORED_BYTES": 200}], ids=str)
@pytest.mark.parametrize("seconds", [-1, 1000])
def test_a_key_stores_a_bounded_number_of_answers(api, client_with_key, monkeypatch, limit, seconds):
    monkeypatch.setattr(idempotency, "_COUNTED_SECONDS", seconds)  # each request counts, or none but the first
    monkeypatch.setattr(idempotency, "_stored", {})
    for name, value in limit.items():
        monkeypatch.setattr(idempotency, name, value)
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    first = api.post(path, {"action": "a", "summary": "x" * 60}, **once("1"))
    assert api.post(path, {"action": "b", "summary": "x" * 60}, **once("2")).status_code == 200
    refused = api.post(path, {"action": "c"}, **once("3"))
    assert_error(refused, 429, "too_many_stored_answers")
    assert 24 * 3600 - 100 < int(refused.headers["Retry-After"]) <= 24 * 3600
    assert (UserLog.objects.count(), IdempotencyRecord.objects.count()) == (2, 2)
    again = api.post(path, {"action": "a", "summary": "x" * 60}, **once("1"))
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert api.post(path, {"action": "c"}).status_code == 200
    assert client_with_key().post(path, {"action": "c"}, **once("3")).status_code == 200
    IdempotencyRecord.objects.filter(name="1").update(created_at=clock.now() - timedelta(hours=25))
    idempotency._stored.clear()
    assert api.post(path, {"action": "c"}, **once("3")).status_code == 200


def test_a_key_without_scopes_stores_nothing(client_with_key):
    client = client_with_key(scopes="")
    for _ in range(2):
        answer = client.post("/api/v1/users/actions/logout", {}, **once())
        assert (answer.status_code, answer.headers.get("Idempotency-Replayed")) == (200, None)
    assert not IdempotencyRecord.objects.exists()


def test_a_command_deletes_all_answers_that_are_over(monkeypatch):
    monkeypatch.setattr(idempotency, "SWEEP_ROWS", 3)
    for number in range(5):
        IdempotencyRecord.objects.create(key_id=1, name=str(number), digest="", content=b"{}")
    age(hours=25)
    IdempotencyRecord.objects.create(key_id=1, name="new", digest="", content=b"{}")
    out = io.StringIO()
    call_command("purge", "answers", stdout=out)
    assert out.getvalue() == "Purged: answers=5\n"
    assert [row.name for row in IdempotencyRecord.objects.all()] == ["new"]


def test_what_is_stored_of_a_body_tells_nothing_without_the_secret_key(api, settings):
    def digest(name):
        api.post(f"/api/v1/users/{user.pk}/logs", {"action": "guessed"}, **once(name))
        return IdempotencyRecord.objects.get(name=name).digest

    user = UserFactory()
    first = digest("a")
    assert digest("b") == first
    settings.SECRET_KEY = "another"
    assert digest("c") != first


def test_a_body_that_is_too_large_is_refused_before_it_is_kept(api, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    user = UserFactory()
    answer = api.send("POST", f"/api/v1/users/{user.pk}/avatar", *form(b"x" * 101), **once())
    assert_error(answer, 413, "body_too_large")
    assert_error(api.post(f"/api/v1/users/{user.pk}/logs", {"summary": "x" * 101}, **once()), 413, "body_too_large")


def test_a_file_that_is_too_large_is_refused_with_a_key_as_well(api, settings):
    settings.CMS_AVATAR_MAX_BYTES = 50
    path = f"/api/v1/users/{UserFactory().pk}/avatar"
    assert_error(api.send("POST", path, *form(b"x" * 51), **once()), 413, "file_too_large")
    assert_error(api.send("POST", path, b"{}", "application/json", **once()), 400, "file_expected")


def test_a_constraint_that_refuses_within_the_transaction_is_told(api, monkeypatch):
    """After an error PostgreSQL carries out nothing more in a transaction, but from a savepoint before it."""
    content = ContentFactory()
    values_of_new = single.values_of_new

    def trash_meanwhile(*arguments):
        Content.objects.update(trashed_at=clock.now())
        Channel.objects.filter(pk=content.channel_id).update(trashed_at=clock.now())
        return values_of_new(*arguments)

    def insert(values, body):
        Content.objects.bulk_create(
            [Content(pk=content.pk, site_id=values["site_id"], channel_id=values["channel_id"])]
        )

    monkeypatch.setattr(single, "values_of_new", trash_meanwhile)
    monkeypatch.setattr(single, "insert_content", insert)
    answer = api.post(creation(content.channel), {"title": "x"}, **once())
    assert_error(answer, 404, "channel_not_found")
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", OF_EACH_CLASS)
def test_of_several_at_once_one_is_carried_out_and_answers_all(api, path):
    place = Place()
    # As many as may hash a password, or draw a picture, for one network at a time, or wait for a receiver.
    number = 2 if "Password" in path or path.endswith(("avatar", "/test")) else 5
    answers = at_once(api.token, *[lambda client: send(client, place, path, **once())] * number)
    assert {answer.status_code for answer in answers} == {200}, [answer.content for answer in answers]
    assert len({answer.content for answer in answers}) == 1
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers].count(None) == 1
    assert IdempotencyRecord.objects.count() == 1
    assert stored_files() == set(User.objects.exclude(avatar_file="").values_list("avatar_file", flat=True))


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_over_is_renewed_by_one_of_several(api):
    user = UserFactory()
    path = f"/api/v1/users/{user.pk}/logs"
    api.post(path, {}, **once())
    age(hours=25)
    answers = at_once(api.token, *[lambda client: client.post(path, {}, **once())] * 6)
    assert {answer.status_code for answer in answers} == {200}
    assert UserLog.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_different_requests_with_one_key_at_once_are_one_change(api):
    path = f"/api/v1/users/{UserFactory().pk}/logs"
    acts = [lambda client, turn=turn: client.post(path, {"action": str(turn)}, **once()) for turn in range(6)]
    assert sorted(answer.status_code for answer in at_once(api.token, *acts)) == [200] + [422] * 5
    assert UserLog.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_where_one_of_several_at_once_fails_another_is_carried_out(api, monkeypatch):
    path, content_of = f"/api/v1/users/{UserFactory().pk}/logs", idempotency._content
    failing = chain([True], repeat(False))
    monkeypatch.setattr(idempotency, "_content", lambda response: 1 / 0 if next(failing) else content_of(response))
    answers = at_once(api.token, *[lambda client: client.post(path, {}, **once())] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 500]
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers].count("true") == 2
    assert UserLog.objects.count() == IdempotencyRecord.objects.count() == 1
