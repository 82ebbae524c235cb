"""`/api/v1/forms`: pages send entries, and programs with a key read, change and delete them."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikeys.scopes import Scope
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.statement_limit import TooSlow
from forms.models import Entry, Field, Form
from pages.engine.elements.forms import TRAP
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
PATH = "/api/v1/forms"


@world
def form():
    form = Form.objects.create(site=SiteFactory(), name="Visit", title="Book a visit", description="For groups")
    for place, (key, kind, choices) in enumerate(
        [("Name", "text", []), ("days", "checkbox", ["Mon", "Fri"]), ("Remark", "textarea", [])]
    ):
        Field.objects.create(
            form=form, key=key, label=f"Your {key}", kind=kind, choices=choices, is_required=key == "Name", taxis=place
        )
    Field.objects.create(form=form, key="secret", label="secret", is_visible=False, taxis=9)
    return form


@pytest.fixture
def key(client_with_key, form):
    return client_with_key(scopes="Forms", site_ids=str(form.site_id))


def asked(form, **more):
    return {"siteId": form.site_id, "formId": form.pk} | more


def values_of(entry):
    keys = dict(entry.form.fields.values_list("pk", "key"))
    return {keys[int(pk)]: value for pk, value in entry.values.items()}


def add(form, **members):
    numbers = dict(form.fields.values_list("key", "pk"))
    values = members.pop("values", {"Name": "Ann"})
    return Entry.objects.create(
        form=form, values={str(numbers[key]): value for key, value in values.items()}, **members
    )


def entry_path(entry):
    return f"{PATH}/{entry.form.site_id}/entries/{entry.pk}"


# ---- pages


@pytest.mark.parametrize("name", ["formId", "formName"])
def test_a_page_reads_the_definition_without_a_key(stranger, form, name):
    query = {"siteid": form.site_id, name: {"formId": form.pk, "formName": "VISIT"}[name]}
    told = stranger.get(f"{PATH}/styles", query_params=query).json()
    assert (told["title"], told["description"], told["isSms"], told["isCaptcha"]) == (
        "Book a visit",
        "For groups",
        False,
        False,
    )
    assert [(style["attributeName"], style["inputType"]) for style in told["styles"]] == [
        ("Name", "Text"),
        ("days", "CheckBox"),
        ("Remark", "TextArea"),
    ]
    assert told["styles"][0]["rules"] == [{"type": "Required", "value": "", "message": ""}]
    assert [item["value"] for item in told["styles"][1]["items"]] == ["Mon", "Fri"]
    assert told["formData"] == {"name": "", "days": [], "remark": ""}


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("is_in_query", [True, False])
def test_a_page_sends_members_in_any_letter_case(client, form, kind, is_in_query):
    channel = ChannelFactory(site=form.site)
    content = ContentFactory(channel=channel)
    place = asked(form, channelId=channel.pk, contentId=content.pk)
    sent = {"name": "Ann", "DAYS": ["Mon", "Fri"], "unknown": "x"} | ({} if is_in_query else place)
    body = [json.dumps(sent), kind] if kind == "application/json" else [sent]
    if kind == "application/x-www-form-urlencoded":
        body = [f"name=Ann&DAYS=Mon&DAYS=Fri&unknown=x&{'' if is_in_query else _urlencoded(place)}", kind]
    response = client.post(PATH, *body, query_params=place if is_in_query else {}, HTTP_ORIGIN="null")
    entry = Entry.objects.get()
    row = response.json()
    assert (response.status_code, row["id"], row["guid"]) == (200, str(entry.token), str(entry.token))
    assert (row["name"], row["days"], row["isReplied"]) == ("Ann", ["Mon", "Fri"], False)
    assert values_of(entry) == {"Name": "Ann", "days": ["Mon", "Fri"]}
    assert (entry.source, entry.channel_id, entry.content_id) == ("api", channel.pk, content.pk)
    assert response.headers["Access-Control-Allow-Origin"] == "null" and not response.cookies


def _urlencoded(values):
    return "&".join(f"{name}={value}" for name, value in values.items())


def test_members_that_are_no_shown_field_are_dropped(client, form):
    forged = {
        "isReplied": True,
        "replyContent": "forged",
        "state": "approved",
        "secret": "x",
        "id": 7,
        "source": "page",
    }
    response = client.post(PATH, json.dumps(asked(form, name="Ann") | forged), "application/json")
    entry = Entry.objects.get()
    assert (entry.state, entry.reply, entry.source, values_of(entry)) == ("new", "", "api", {"Name": "Ann"})
    assert response.json().keys() & forged.keys() == {"id", "isReplied"} and response.json()["isReplied"] is False


def test_channels_and_contents_of_other_sites_are_left_out(client, form):
    content = ContentFactory()
    place = asked(form, channelId=content.channel_id, contentId=content.pk)
    assert client.post(PATH, {"name": "Ann"}, query_params=place).status_code == 200
    assert list(Entry.objects.values_list("channel_id", "content_id")) == [(None, None)]


def test_mistakes_are_told_by_field(client, form):
    response = client.post(PATH, json.dumps({"days": ["Sun"]}), "application/json", query_params=asked(form))
    told = response.json()
    assert (response.status_code, told["code"]) == (400, "form_invalid") and told["message"]
    assert told["errors"].keys() == {"Name", "days"} and not Entry.objects.exists()


def test_spam_looks_like_success(client, form):
    answers = [client.post(PATH, {"name": "Ann"} | more, query_params=asked(form)).json() for more in ({}, {TRAP: "x"})]
    assert answers[0].keys() == answers[1].keys()
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["new", "spam"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({}, "missing_member"),
        ({"siteId": "1"}, "missing_member"),
        ({"siteId": "x", "formId": "1"}, "invalid_value"),
        ({"siteId": "9" * 30, "formId": "1"}, "invalid_value"),
        ({"siteId": "1", "SITEID": "2", "formId": "1"}, "duplicate_member"),
        ({"siteId": "-1", "formId": "-9223372036854775808"}, "form_not_found"),
        ({"siteId": "1", "formName": "\0"}, "invalid_value"),
        ({"siteId": "1", "formName": "x" * 101}, "invalid_value"),
    ],
)
def test_odd_numbers_are_refused(stranger, form, query, code):
    for response in (
        stranger.get(f"{PATH}/styles", query_params=query),
        stranger.get(PATH, query_params=query),
        stranger.post(PATH, {"name": "Ann"}, query_params=query),
    ):
        assert_error(response, 404 if code == "form_not_found" else 400, code)


@pytest.mark.parametrize("body", [b"[1]", b'{"name": "\xff"}', b"x" * 300_000, b'{"name":' * 2000])
def test_bodies_that_cannot_be_read_are_refused(client, form, body):
    response = client.generic("POST", PATH, body, "application/json", query_params=asked(form))
    assert (response.status_code, response.json()["code"]) == (400, "form_unreadable")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda each: st.lists(each, max_size=3)))
def test_no_json_makes_an_answer_fail(value):
    from django.test import Client

    form = Form.objects.order_by("pk").first() or Form.objects.create(site=SiteFactory(), name="Any")
    Field.objects.get_or_create(form=form, key="name")
    sent = json.dumps({"name": value, "siteId": value})
    assert Client().post(PATH, sent, "application/json", query_params=asked(form)).status_code in {200, 400, 429}


def test_a_number_of_siteserver_comes_first_for_pages_and_last_for_keys(stranger, key, form):
    other = Form.objects.create(site=form.site, name="Old", title="Old", origin=Form.Origin.FORM, origin_id=form.pk)
    Field.objects.create(form=other, key="name", label="name")
    assert stranger.get(f"{PATH}/styles", query_params=asked(form)).json()["title"] == "Old"
    assert len(key.get(PATH, query_params=asked(form)).json()["styles"]) == 4


def test_every_page_may_send_also_if_origins_are_limited(client, form, settings):
    settings.CORS_ALLOW_ALL_ORIGINS, settings.CORS_ALLOWED_ORIGINS = False, ["https://app.example"]
    preflight = {"origin": "https://site.example", "access-control-request-method": "POST"}
    for path in (PATH, f"{PATH}/styles", "/api/ss.form/1/1"):
        response = client.options(path, headers=preflight | {"access-control-request-headers": "content-type"})
        assert response.headers["Access-Control-Allow-Origin"] == "https://site.example", path
    assert "Access-Control-Allow-Origin" not in client.options(f"{PATH}/1", headers=preflight).headers


def test_no_text_messages_are_sent(stranger):
    assert_error(stranger.post(f"{PATH}/actions/sendSms", {"mobile": "1"}), 400, "sms_not_sent")


# ---- keys


def test_nobody_reads_entries_without_a_key(stranger, form):
    add(form)
    known, unknown = (stranger.get(PATH, query_params=query) for query in (asked(form), asked(form, formId=999)))
    assert_error(known, 404, "form_not_found")
    assert known.json() == unknown.json()


@pytest.mark.parametrize("path", [PATH, f"{PATH}/{{site}}", f"{PATH}/{{site}}/entries/{{entry}}"])
def test_keys_need_the_scope_and_the_site(client_with_key, form, path):
    path = path.format(site=form.site_id, entry=add(form).pk)
    others = ",".join(scope.value for scope in Scope if scope is not Scope.FORMS)
    elsewhere = client_with_key(scopes="Forms", site_ids=str(SiteFactory().pk))
    reader = client_with_key(scopes="Forms:read", site_ids=str(form.site_id))
    assert_error(client_with_key(scopes=others).get(path, query_params=asked(form)), 401, "scope_missing")
    assert_error(elsewhere.get(path, query_params=asked(form)), 401, "site_not_allowed")
    assert reader.get(path, query_params=asked(form)).status_code == 200
    if "/entries/" in path:
        for client, code in ((elsewhere, "site_not_allowed"), (reader, "scope_missing")):
            assert_error(client.put(path, {"state": "spam"}), 401, code)
            assert_error(client.delete(path), 401, code)
        assert Entry.objects.get().state == "new"


def test_a_key_of_one_site_does_not_reach_entries_of_another_by_its_own_site(key, form):
    other = Form.objects.create(site=SiteFactory(), name="Other")
    entry = Entry.objects.create(form=other)
    path = f"{PATH}/{form.site_id}/entries/{entry.pk}"
    for response in (key.get(path), key.put(path, {"state": "read"}), key.delete(path)):
        assert_error(response, 404, "entry_not_found")
    assert_error(key.get(PATH, query_params=asked(form, formId=other.pk)), 404, "form_not_found")
    assert Entry.objects.get().state == "new"


def test_a_key_lists_entries_newest_first_and_spam_only_if_asked(key, form):
    now = clock.now()
    old = add(form, created_at=now - timedelta(days=2), state="read", reply="Yes", replied_at=now, replied_by="Ben")
    new = add(form, created_at=now, values={"Name": "Bob", "days": ["Mon"]}, channel_id=3, consent="I agree", page="/a")
    spam = add(form, state="spam", spam_at=now)
    told = key.get(PATH, query_params=asked(form)).json()
    assert ([item["id"] for item in told["items"]], told["total"], told["pageSize"]) == ([new.pk, old.pk], 2, 30)
    assert told["items"][0] == {
        "id": new.pk,
        "guid": str(new.token),
        "siteId": form.site_id,
        "formId": form.pk,
        "channelId": 3,
        "contentId": 0,
        "createdDate": now.isoformat(" ", "seconds"),
        "state": "new",
        "source": "page",
        "page": "/a",
        "consent": "I agree",
        "isReplied": False,
        "replyContent": "",
        "replyDate": None,
        "replyUserName": "",
        "values": {"Name": "Bob", "days": ["Mon"]},
    }
    assert told["items"][1]["replyContent"] == "Yes" and told["items"][1]["isReplied"] is True
    assert told["allAttributeNames"] == ["Name", "days", "Remark", "secret"] and told["isReply"] is False
    assert {column["attributeName"] for column in told["columns"]} == set(told["allAttributeNames"])
    filters = {
        "state": [({"STATE": "Spam"}, [spam]), ({"state": "read"}, [old])],
        "word": [({"word": "bo"}, [new]), ({"word": "%"}, [])],
        "place": [({"channelId": 3}, [new]), ({"channelId": 0}, [new, old]), ({"contentId": 1}, [])],
        "reply": [({"isReplied": "true"}, [old]), ({"isReplied": "false"}, [new])],
        "guid": [({"guid": old.token}, [old]), ({"guid": uuid4()}, [])],
        "time": [({"since": now.date()}, [new]), ({"until": now - timedelta(days=1)}, [old])],
        "page": [({"perPage": 1, "page": 2}, [old]), ({"page": 2**62}, []), ({"page": -1}, [new, old])],
    }
    for query, found in (row for rows in filters.values() for row in rows):
        items = key.get(PATH, query_params=asked(form, **query)).json()["items"]
        assert [item["id"] for item in items] == [entry.pk for entry in found], query


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"perPage": 1001}, "page_too_large"),
        ({"page": "x"}, "invalid_value"),
        ({"page": "1", "PAGE": "2"}, "duplicate_member"),
        ({"state": "hidden"}, "invalid_value"),
        ({"guid": "x"}, "invalid_value"),
        ({"word": " ".join("abcdefghijk")}, "invalid_value"),
        ({"word": "\0"}, "invalid_value"),
        ({"since": "yesterday"}, "invalid_value"),
    ],
)
def test_odd_filters_are_refused(key, form, query, code):
    assert_error(key.get(PATH, query_params=asked(form, **query)), 400, code)


def test_a_list_that_takes_too_long_ends(key, form, monkeypatch):
    def slow(*_given):
        raise TooSlow

    monkeypatch.setattr("django.db.models.QuerySet.count", slow)
    assert_error(key.get(PATH, query_params=asked(form)), 400, "query_too_slow")


def test_a_key_reads_the_site_in_the_query(client_with_key, form):
    everywhere = client_with_key(scopes="Forms:read")
    assert_error(everywhere.get(PATH, query_params=asked(form, siteId=999)), 400, "site_not_found")
    assert_error(everywhere.get(f"{PATH}/999"), 404, "site_not_found")
    assert_error(everywhere.get(f"{PATH}/999/entries/1"), 404, "site_not_found")


def test_a_key_lists_the_forms_of_a_site(key, form):
    Form.objects.create(site=SiteFactory(), name="Other")
    told = key.get(f"{PATH}/{form.site_id}").json()["value"]
    assert [(each["id"], each["name"], each["isOpen"], each["publicList"]) for each in told] == [
        (form.pk, "Visit", True, "none")
    ]
    assert key.get(f"{PATH}/{form.site_id}", query_params={"top": 1}).json()["count"] == 1


def test_a_key_changes_the_state_and_replies(key, form):
    entry = add(form)
    told = key.put(entry_path(entry), {"ReplyContent": "See you", "id": 7, "values": {"Name": "Eve"}}).json()["value"]
    assert (told["state"], told["replyContent"], told["isReplied"], told["values"]) == (
        "read",
        "See you",
        True,
        {"Name": "Ann"},
    )
    assert told["replyUserName"] and told["replyDate"]
    assert key.put(entry_path(entry), {"state": "SPAM"}).json()["value"]["state"] == "spam"
    entry.refresh_from_db()
    assert entry.spam_at is not None and entry.reply == "See you"
    assert key.put(entry_path(entry), {"state": "new", "replyContent": ""}).json()["value"]["replyDate"] is None
    entry.refresh_from_db()
    assert (entry.state, entry.spam_at, entry.reply) == ("new", None, "")
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))[-4:] == [
        "entry.replied",
        "entry.changed",
        "entry.replied",
        "entry.changed",
    ]


@pytest.mark.parametrize(
    "body", [{"state": "hidden"}, {"state": 1}, {"replyContent": 1}, {"replyContent": "x" * 10_001}, {"state": []}]
)
def test_odd_changes_are_refused(key, form, body):
    assert_error(key.put(entry_path(add(form)), body), 400, "invalid_value")


def test_one_of_two_writers_fails(key, form):
    entry = add(form)
    seen = key.get(entry_path(entry))
    assert key.get(entry_path(entry), headers={"If-None-Match": seen.headers["ETag"]}).status_code == 304
    first = key.put(entry_path(entry), {"state": "read"}, headers={"If-Match": seen.headers["ETag"]})
    assert first.headers["ETag"] == key.get(entry_path(entry)).headers["ETag"] != seen.headers["ETag"]
    late = {"If-Match": seen.headers["ETag"]}
    assert key.put(entry_path(entry), {"replyContent": "x"}, headers=late).json()["value"]["state"] == "read"
    assert_error(key.delete(entry_path(entry), headers=late), 412, "precondition_failed")
    assert Entry.objects.get().reply == ""


def test_a_key_deletes_an_entry_for_good(key, form):
    entry = add(form)
    assert key.delete(entry_path(entry)).json()["value"]["values"] == {"Name": "Ann"}
    assert_error(key.delete(entry_path(entry)), 404, "entry_not_found")
    assert AuditEntry.objects.get(action="entry.deleted").site_id == form.site_id


def test_methods(key, form):
    assert key.send("HEAD", PATH, query_params=asked(form)).status_code == 200
    assert key.send("HEAD", f"{PATH}/styles", query_params=asked(form)).content == b""
    for method, path in (("PUT", PATH), ("DELETE", PATH), ("POST", f"{PATH}/styles"), ("POST", f"{PATH}/1")):
        assert_error(key.send(method, path), 405, "method_not_allowed")


# ---- The public list


@pytest.fixture
def listed(form):
    form.public_list = Form.PublicList.APPROVED
    form.save()
    form.fields.filter(key="Name").update(is_listed=True)
    add(form, values={"Name": "Ann", "Remark": "in private"}, state="approved", reply="Welcome", page="/x.html")
    add(form, values={"Name": "Bob", "Remark": "in private"}, state="new")
    return form


@pytest.mark.parametrize("path", ["/api/v1/forms?siteId={site}&formId={form}", "/api/form/{site}/{form}"])
def test_everybody_reads_the_public_list_and_nothing_else(client, listed, path):
    answer = client.get(path.format(site=listed.site_id, form=listed.pk))
    body = answer.json()
    (item,) = body["items"]
    assert (item["name"], item["replyContent"], item["isReplied"]) == ("Ann", "Welcome", True)
    assert set(item) == {"name", "id", "siteId", "formId", "isReplied", "replyContent", "replyDate", "createdDate"}
    assert (body["total"], body["listAttributeNames"], body["allAttributeNames"]) == (1, ["Name"], ["Name"])
    assert "private" not in answer.content.decode() and "x.html" not in answer.content.decode()


def test_the_public_list_in_the_shape_of_the_extension_for_version_6(client, listed):
    body = client.get(f"/api/ss.form/{listed.site_id}/{listed.pk}?page=1").json()
    (row,) = body["value"]
    assert (row["your Name"], row["replyContent"], body["count"], body["pages"]) == ("Ann", "Welcome", 1, 1)
    assert "private" not in str(body)


@pytest.mark.parametrize("query", ["page=999999999", "perPage=-1&page=x", "page=99999999999999999999", "word=%00"])
def test_odd_queries_of_the_public_list(client, listed, query):
    for path in (
        f"/api/v1/forms?siteId={listed.site_id}&formId={listed.pk}&",
        f"/api/form/{listed.site_id}/{listed.pk}?",
    ):
        assert client.get(f"{path}{query}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/api/v1/forms?siteId={site}&formId={form}", "/api/form/{site}/{form}", "/api/ss.form/{site}/{form}"]
)
def test_without_a_public_list_nobody_reads_entries(client, form, path):
    add(form, state="approved", reply="x")
    assert client.get(path.format(site=form.site_id, form=form.pk)).status_code == 404
