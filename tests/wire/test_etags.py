"""Every answer to a GET has a strong ETag, which another answer never has, and costs a client that has it no body."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Administrator, User, UserLog
from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentSchedule, CustomField
from core.lib import clock
from core.rest import conditional, pagination
from core.rest.conditional import matches, tag_of
from core.rest.operations import PREFIX, operations
from events.models import Event
from events.numbering import number_new
from forms.models import Entry, Form
from media_library.models import MediaFile, MediaFolder
from search.following import follow
from sites.models import Site
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory, UserFactory
from tests.wire.addresses import single
from webhooks.deliveries import create_due
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


CACHED = {"/search/suggestions": "private, max-age=60"}


class Shown:
    """What the paths below show."""

    def __init__(self):
        self.site = SiteFactory(is_root=True)
        self.channel = ChannelFactory(site=self.site, index_name="news")
        self.content = ContentFactory(channel=self.channel, is_checked=True, content="<p>Old</p>")
        self.user = UserFactory()
        self.administrator = AdministratorFactory()
        self.webhook = Webhook.create({"name": "Index", "url": "https://hooks.example.org/"}, 0)
        self.file = MediaFile.objects.create(site=self.site, path="upload/a.png", kind="image", bytes=1)
        self.form = Form.objects.create(site=self.site, name="Visit")
        self.entry = Entry.objects.create(form=self.form)
        self.folder = MediaFolder.objects.create(site=self.site, name="Press")
        UserLog.objects.create(user_id=self.user.pk, user_name=self.user.user_name, action="a", summary="s")

    def path(self, path):
        """The path with the numbers of these records, where parameters stand."""
        records = {"contents": self.content, "administrators": self.administrator, "webhooks": self.webhook}
        record = (records | {"media": self.file}).get(path.split("/")[1], self.user)
        record = self.folder if "/folders" in path else self.entry if "/entries" in path else record
        numbers = {"siteId": self.site.pk, "channelId": self.channel.pk, "id": record.pk, "name": "LOGIN"}
        for name, number in numbers.items():
            path = path.replace(f"{{{name}}}", str(number))
        return PREFIX + path


def retitle(shown):
    Content.objects.filter(pk=shown.content.pk).update(title="Other")


def rename_channel(shown):
    Channel.objects.filter(pk=shown.channel.pk).update(channel_name="Other")


def rename_site(shown):
    Site.objects.filter(pk=shown.site.pk).update(site_name="Other")


def log_more(shown):
    UserLog.objects.create(user_id=shown.user.pk, user_name="x", action="b", summary="s")


def edit_user(**changes):
    return lambda shown: User.objects.filter(pk=shown.user.pk).update(**changes)


def edit_administrator(**changes):
    return lambda shown: Administrator.objects.filter(pk=shown.administrator.pk).update(**changes)


def edit_webhook(shown):
    Webhook.objects.filter(pk=shown.webhook.pk).update(name="Other")


def describe_file(shown):
    MediaFile.objects.filter(pk=shown.file.pk).update(credit="Other")


def replace_file(shown):
    MediaFile.objects.filter(pk=shown.file.pk).update(replaced_at=clock.now())


def use_file(shown):
    Channel.objects.filter(pk=shown.channel.pk).update(image_url=shown.file.address)


def rename_folder(shown):
    MediaFolder.objects.filter(pk=shown.folder.pk).update(name="Other")


def rename_form(shown):
    Form.objects.filter(pk=shown.form.pk).update(name="Other", folded_name="visit")


def mark_entry(shown):
    Entry.objects.filter(pk=shown.entry.pk).update(state="read")


def define_field(shown):
    CustomField.objects.create(site=shown.site, name="berth", folded_name="berth")


def deliver(shown):
    event = Event.objects.create(name="content.created", subject_id=1, site_id=1, at=clock.now())
    number_new()
    create_due()
    assert Delivery.objects.filter(webhook=shown.webhook).exists(), event


def schedule(shown):
    later = clock.now() + timedelta(days=1)
    ContentSchedule.objects.create(content=shown.content, site_id=shown.site.pk, unpublish_at=later)


# A path with its query, and a change of what it shows; None where the answer is always the same.
CHANGES = {
    "/ping": ("", None),
    "/openapi.json": ("", None),
    "/changes": ("?after=start", retitle),
    "/channels/{siteId}": ("", rename_channel),
    "/channels/{siteId}/{channelId}": ("", rename_channel),
    "/contents/{siteId}": ("?isChecked=true", retitle),
    "/contents/{siteId}/{channelId}": ("?isChecked=true", retitle),
    "/contents/{siteId}/{channelId}/{id}": ("", retitle),
    "/contents/{siteId}/{channelId}/{id}/schedule": ("", schedule),
    "/contents/{siteId}/schedules": ("", schedule),
    "/media/{siteId}": ("", describe_file),
    "/media/{siteId}/{id}": ("", describe_file),
    "/media/{siteId}/{id}/rendition": ("?w=333", replace_file),
    "/media/{siteId}/{id}/uses": ("", use_file),
    "/media/{siteId}/folders": ("", rename_folder),
    "/media/{siteId}/folders/{id}": ("", rename_folder),
    "/forms": ("?siteId=1&formName=visit", mark_entry),
    "/forms/styles": ("?siteId=1&formName=visit", rename_form),
    "/forms/{siteId}": ("", rename_form),
    "/forms/{siteId}/entries/{id}": ("", mark_entry),
    "/search": ("?q=title&siteId=1", retitle),
    "/search/suggestions": ("?q=title&siteId=1", retitle),
    "/sites/{siteId}/fields": ("", define_field),
    "/webhooks": ("", edit_webhook),
    "/webhooks/{id}": ("", edit_webhook),
    "/webhooks/{id}/deliveries": ("", deliver),
    "/stl/site": ("", rename_site),
    "/stl/sites": ("", rename_site),
    "/stl/value": ("?type=siteName", rename_site),
    "/stl/channel": ("?channelIndex=news", rename_channel),
    "/stl/channels": ("", rename_channel),
    "/stl/content": ("?contentId=1&type=title", retitle),
    "/stl/contents": ("?scope=All", retitle),
    "/stl/a": ("?contentId=1", lambda shown: Content.objects.update(link_url="https://example.org/")),
    "/stl/count": ("?scope=All", lambda shown: ContentFactory(channel=shown.channel, is_checked=True)),
    "/stl/sqlContents": ("?queryString=SELECT Title FROM siteserver_Content", retitle),
    "/stl/sqlContent": ("?queryString=SELECT Title FROM siteserver_Content", retitle),
    "/users": ("", edit_user(display_name="Other")),
    "/users/{id}": ("", edit_user(password_stamp="other")),
    "/users/{id}/avatar": ("", edit_user(avatar_url="https://example.org/a.png")),
    "/users/{id}/logs": ("", log_more),
    "/administrators": ("", edit_administrator(display_name="Other")),
    "/administrators/{id}": ("", edit_administrator(display_name="Other")),
}
WITHOUT = {
    "/captcha/{name}",
    "/previews/{token}",
    "/previews/{token}/page",
    "/health/live",
    "/health/ready",
    "/metrics",
}
NEEDS_READER = {"/stl/sqlContents", "/stl/sqlContent"}


def test_every_get_is_looked_at_here():
    paths = {operation.path for operation in operations() if operation.method == "GET"}
    assert paths - CHANGES.keys() == WITHOUT


@pytest.fixture
def asked(api):
    """The path of an operation with its query, and what it shows; skips what this installation does not have."""

    def find(path):
        if path not in {operation.path for operation in operations()}:
            pytest.skip(f"{path} is no operation")
        if path in NEEDS_READER and connection.vendor == "sqlite" and connection.in_atomic_block:
            pytest.skip("tests/sql asks the readers, which are connections of their own")
        shown = Shown()
        query = CHANGES[path][0].replace("contentId=1", f"contentId={shown.content.pk}")
        if path.startswith("/search"):
            follow()
        return shown, shown.path(path) + query.replace("siteId=1", f"siteId={shown.site.pk}")

    return find


@pytest.mark.parametrize("path", sorted(CHANGES.keys() - NEEDS_READER))
def test_a_get_has_a_tag_that_saves_its_body_until_the_answer_changes(api, asked, path):
    shown, address = asked(path)
    first = api.get(address)
    assert (first.status_code, first.headers["Cache-Control"]) == (200, CACHED.get(path, "private, no-cache"))
    tag = first.headers["ETag"]
    assert tag[0] == tag[-1] == '"'
    assert api.get(address).headers["ETag"] == tag
    assert api.head(address).headers["ETag"] == tag
    for known in (api.get(address, HTTP_IF_NONE_MATCH=tag), api.head(address, HTTP_IF_NONE_MATCH=tag)):
        assert (known.status_code, known.content, known.headers["ETag"]) == (304, b"", tag)
        assert "Content-Length" not in known.headers
        assert "Content-Type" not in known.headers
    if CHANGES[path][1] is None:
        return
    CHANGES[path][1](shown)
    after = api.get(address, HTTP_IF_NONE_MATCH=tag)
    assert (after.status_code, after.content == first.content) == (200, False)
    assert after.headers["ETag"] != tag


@pytest.mark.parametrize("path", sorted(WITHOUT))
def test_what_nobody_may_keep_has_no_tag(api, settings, path):
    settings.CMS_METRICS = True
    response = api.get(Shown().path(path), HTTP_IF_NONE_MATCH="*")
    assert response.status_code in {200, 404}  # figures are collected in real servers only
    assert "ETag" not in response.headers


def test_errors_have_no_tag(api):
    response = api.get("/api/v1/users/999", HTTP_IF_NONE_MATCH="*")
    assert response.status_code == 404
    assert "ETag" not in response.headers


@pytest.mark.parametrize("known", ["*", "W/{}", '"x", {}', '"x",W/{} , "y"', " {} "])
def test_if_none_match_is_compared_weakly(api, known):
    path = single(ContentFactory())
    tag = api.get(path).headers["ETag"]
    assert api.get(path, HTTP_IF_NONE_MATCH=known.format(tag)).status_code == 304


@pytest.mark.parametrize("known", ["", "nonsense", '"', '"x" "y"', "W/", "**", '"x', "\x7f", "é", ","])
def test_a_header_that_cannot_be_read_matches_nothing(api, known):
    path = single(ContentFactory())
    assert api.get(path, HTTP_IF_NONE_MATCH=known).status_code == 200
    assert api.get("/api/v1/users", HTTP_IF_NONE_MATCH=known).status_code == 200


def test_writes_ignore_if_none_match(api):
    content = ContentFactory()
    assert api.put(single(content), {"title": "Other"}, HTTP_IF_NONE_MATCH="*").status_code == 200
    created = api.post(
        f"/api/v1/contents/{content.site_id}/{content.channel_id}", {"title": "x"}, HTTP_IF_NONE_MATCH="*"
    )
    assert created.status_code == 200
    assert api.delete(single(content), HTTP_IF_NONE_MATCH="*").status_code == 200


def test_the_list_of_contents_is_a_read(api):
    content = ContentFactory()
    body = {"siteId": content.site_id}
    tag = api.post("/api/v1/contents", body).headers["ETag"]
    assert api.post("/api/v1/contents", body, HTTP_IF_NONE_MATCH=tag).status_code == 304
    ContentBody.objects.filter(content=content).update(text="other")
    Content.objects.filter(pk=content.pk).update(hits=7)
    assert api.post("/api/v1/contents", body, HTTP_IF_NONE_MATCH=tag).status_code == 200


@pytest.mark.parametrize(
    "change", [{"hits": 1}, {"settings_xml": '{"a":1}'}, {"taxis": 77}, {"last_hits_date": "2026-01-01 00:00:00"}]
)
def test_what_raises_no_version_of_a_content_changes_its_tag(api, change):
    content = ContentFactory()
    tag = api.get(single(content)).headers["ETag"]
    Content.objects.filter(pk=content.pk).update(**change)
    assert api.get(single(content)).headers["ETag"] != tag


def test_a_body_and_an_address_change_the_tag_of_a_content(api):
    content = ContentFactory(content="a")
    tags = {api.get(single(content)).headers["ETag"]}
    ContentBody.objects.filter(content=content).update(text="b")
    tags.add(api.get(single(content)).headers["ETag"])
    Channel.objects.filter(pk=content.channel_id).update(content_file_path_rule="/x/{@contentId}.html")
    tags.add(api.get(single(content)).headers["ETag"])
    assert len(tags) == 3


def test_another_channel_leaves_the_tag_of_a_content_and_of_a_channel_as_it_is(api):
    content = ContentFactory()
    paths = [single(content), f"/api/v1/channels/{content.site_id}/{content.channel_id}"]
    other = ChannelFactory(site=content.site)
    before = [api.get(path).headers["ETag"] for path in paths]
    ChannelFactory(parent=other)
    assert [api.get(path).headers["ETag"] for path in paths] == before


def test_the_tag_of_a_channel_follows_the_content_that_its_address_leads_to(api):
    channel = ChannelFactory(link_type="LinkToFirstContent")
    paths = [f"/api/v1/channels/{channel.site_id}", f"/api/v1/channels/{channel.site_id}/{channel.pk}"]
    before = [api.get(path).headers["ETag"] for path in paths]
    content = ContentFactory(channel=channel, is_checked=True)
    between = [api.get(path).headers["ETag"] for path in paths]
    assert not set(before) & set(between)
    assert [api.get(path, HTTP_IF_NONE_MATCH=tag).status_code for path, tag in zip(paths, between, strict=True)] == [
        304
    ] * 2
    content.delete()
    assert [api.get(path).headers["ETag"] for path in paths] == before


def test_a_known_tag_of_channels_is_compared_before_they_are_written(api, monkeypatch):
    channel = ChannelFactory()
    path = f"/api/v1/channels/{channel.site_id}"
    tag = api.get(path).headers["ETag"]
    monkeypatch.setattr("channels_app.tree._dump", None)
    assert api.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 304


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_long_list_has_a_tag_for_whoever_asks_for_it(api, monkeypatch, newest_first):
    monkeypatch.setattr(pagination.PagedList, "chunk", 3)
    user = UserFactory()
    UserFactory.create_batch(7)
    UserLog.objects.bulk_create(UserLog(user_id=user.pk, user_name="x", summary=str(n)) for n in range(7))
    path = f"/api/v1/users/{user.pk}/logs" if newest_first else "/api/v1/users"
    plain = api.get(path)
    assert plain.streaming
    assert "ETag" not in plain.headers
    assert plain.headers["Cache-Control"] == "private, no-cache"
    asked = api.get(path, HTTP_IF_NONE_MATCH='""')
    assert b"".join(asked.streaming_content) == b"".join(plain.streaming_content)
    tag = asked.headers["ETag"]
    known = api.get(path, HTTP_IF_NONE_MATCH=tag)
    assert (known.status_code, known.content, known.headers["ETag"]) == (304, b"", tag)
    User.objects.filter(pk=user.pk).update(display_name="Other")
    UserLog.objects.filter(user_id=user.pk).update(action="Other")
    changed = api.get(path, HTTP_IF_NONE_MATCH=tag)
    assert changed.status_code == 200
    assert b"Other" in b"".join(changed.streaming_content)


@pytest.mark.parametrize("send,status", [
    (lambda client: client.get("/api/v1/contents/0/0/0"), 404),
    (lambda client: ApiClient().get("/api/v1/users"), 401),
    (lambda client: client.get("/api/v1/nonsense"), 404),
    (lambda client: client.put("/api/v1/users"), 405),
    (lambda client: client.get("/api/v1/ping", HTTP_HOST="other.example"), 400),
    (lambda client: client.get("/api/v1/contents/1?top=x&colour=y"), 404),
])  # fmt: skip
def test_an_error_is_kept_by_no_cache(api, send, status):
    response = send(api)
    assert (response.status_code, response.headers["Cache-Control"]) == (status, "no-store")


def test_the_answer_to_a_write_is_kept_by_no_shared_cache(api):
    channel = ChannelFactory()
    response = api.post(f"/api/v1/contents/{channel.site_id}/{channel.pk}", {"title": "a"})
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "private, no-cache")


def test_a_longer_list_than_fits_into_memory_waits_in_a_file(api, monkeypatch):
    monkeypatch.setattr(pagination.PagedList, "chunk", 3)
    monkeypatch.setattr(conditional, "_IN_MEMORY", 100)
    UserFactory.create_batch(7)
    asked = api.get("/api/v1/users", HTTP_IF_NONE_MATCH="x")
    assert b"".join(asked.streaming_content) == b"".join(api.get("/api/v1/users").streaming_content)


def test_an_answer_that_is_too_long_to_wait_is_sent_without_a_tag(api, monkeypatch):
    monkeypatch.setattr(pagination.PagedList, "chunk", 3)
    monkeypatch.setattr(conditional, "_MAX_KEPT", 1000)
    UserFactory.create_batch(7)
    asked = api.get("/api/v1/users", HTTP_IF_NONE_MATCH="*")
    assert (asked.status_code, "ETag" in asked.headers) == (200, False)
    assert b"".join(asked.streaming_content) == b"".join(api.get("/api/v1/users").streaming_content)


def test_without_the_headers_no_statement_comes_to_a_request(api):
    content = ContentFactory()
    api.get(single(content))
    with CaptureQueriesContext(connection) as read:
        api.get(single(content))
    with CaptureQueriesContext(connection) as made:
        api.post(f"/api/v1/contents/{content.site_id}/{content.channel_id}", {"title": "x"})
    assert len(read) == 1
    assert not [query for query in made if "idempotencyrecord" in query["sql"]]


def test_links_of_a_page_by_another_host_have_another_tag(api, settings):
    settings.ALLOWED_HOSTS = ["*"]
    UserFactory(avatar_url="/a.png")
    first, second = (api.get("/api/v1/users?top=1", HTTP_HOST=host) for host in ("a.example", "b.example"))
    assert first.headers["ETag"] != second.headers["ETag"]


def test_browsers_may_send_and_read_the_headers(api):
    asked = "if-match, if-none-match, idempotency-key"
    preflight = api.generic(
        "OPTIONS",
        "/api/v1/users",
        HTTP_ORIGIN="https://pages.example",
        HTTP_ACCESS_CONTROL_REQUEST_METHOD="GET",
        HTTP_ACCESS_CONTROL_REQUEST_HEADERS=asked,
    )
    assert set(asked.split(", ")) <= set(preflight.headers["access-control-allow-headers"].split(", "))
    read = api.get("/api/v1/users", HTTP_ORIGIN="https://pages.example")
    exposed = read.headers["access-control-expose-headers"].split(", ")
    assert {"etag", "idempotency-replayed"} <= set(exposed)
    known = api.get("/api/v1/users", HTTP_ORIGIN="https://pages.example", HTTP_IF_NONE_MATCH=read.headers["ETag"])
    assert known.status_code == 304
    assert known.headers["access-control-allow-origin"] == "https://pages.example"


@pytest.mark.parametrize(
    ("setting", "value"),
    [("TIME_ZONE", "Asia/Shanghai"), ("MEDIA_URL", "https://m.example/"), ("SECRET_KEY", "x" * 50)],
)
def test_a_setting_that_decides_bytes_decides_tags(settings, setting, value):
    before = tag_of("a")
    setattr(settings, setting, value)
    assert tag_of("a") != before


@pytest.mark.large
def test_another_process_makes_the_same_tag():
    if conditional._release() != conditional._RELEASE:
        pytest.skip("the code is being edited while this runs, and another process would load the new one")
    parts = ("content", (1, None, True, 1.5, "汉字", {"a": [1]}))
    program = f"import django; django.setup(); from core.rest.conditional import tag_of; print(tag_of(*{parts!r}))"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "cms_api.settings", "PYTHONHASHSEED": "5"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == tag_of(*parts)


@pytest.mark.parametrize(
    ("known", "strongly", "holds"),
    [('"a"', True, True), ('W/"a"', True, False), ('W/"a"', False, True), ("a", True, False), ("*", True, True)],
)
def test_a_weak_tag_matches_nothing_strongly(known, strongly, holds):
    assert matches(known, '"a"', strongly=strongly) is holds


def test_parts_of_different_types_have_different_tags():
    parts = [(1,), (1.0,), (True,), ("1",), (b"1",), (None,), ("",), ((),), ([],), ({},), ((1,),), (1, None), ("1", "")]
    assert len({tag_of(*each) for each in parts}) == len(parts)
