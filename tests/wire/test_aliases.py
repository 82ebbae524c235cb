"""The aliases of SSCMS v7 do what their originals do, by other names."""

import re
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Administrator, User
from channels_app.models import Channel
from contents.models import Content
from core.rest.aliases import ADMINISTRATOR, ALIASES, CHANNEL, CONTENT, USER
from core.rest.operations import PREFIX, operations
from tests.accounts.signing_in import account_of, token_of
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, UserFactory
from tests.wire.addresses import single
from tests.worlds import world

pytestmark = pytest.mark.django_db
PAGE = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"
MODELS = [Content, Channel, User, Administrator]


class Place:
    """A record of each kind, in the state that shows every difference of the shapes."""

    def __init__(self):
        self.channel = ChannelFactory(parent=ChannelFactory(), group_name_collection="a,b")
        ChannelFactory(parent=self.channel)
        self.content = ContentFactory(
            channel=self.channel, group_name_collection="news,press", tags="开放日", content="<p>Open</p>", is_top=True
        )
        self.user = UserFactory(is_checked=True, display_name="Reader")
        self.administrator = AdministratorFactory(
            is_superuser=False, site_id_collection=f"{self.channel.site_id}", display_name="Press office"
        )

    def fill(self, path):
        """The path with the ids of these records."""
        record = {"contents": self.content, "users": self.user}.get(path.split("/")[1], self.administrator)
        ids = {"siteId": self.channel.site_id, "channelId": self.channel.pk, "id": record.pk}
        return PREFIX + path.format(**ids)


@world
def place():
    return Place()


# Changes by the names of v6, and the same by those of v7.
CHANGES = {
    CONTENT.record: (
        {"content": "<p>Closed</p>", "isTop": False, "IsHot": "True", "groupNameCollection": "a,b", "tags": ""},
        {"Body": "<p>Closed</p>", "top": False, "Hot": "True", "groupNames": ["a", "b"], "tagNames": []},
    ),
    CHANNEL.record: (
        {"content": "x", "groupNameCollection": "c", "isContentAddable": False},
        {"content": "x", "groupNames": ["c"], "isContentAddable": False},
    ),
    ADMINISTRATOR.record: (
        {"displayName": "Press", "isLockedOut": True, "siteIdCollection": "3,5"},
        {"displayName": "Press", "locked": True, "siteIds": [3, 5]},
    ),
    USER.record: ({"isChecked": False, "isLockedOut": True}, {"checked": False, "locked": True}),
}
LAST_EDIT = {CONTENT.record: ({"lastEditDate": "2026-03-01 09:30:00"}, {"lastModifiedDate": "2026-03-01 09:30:00"})}
IDS = [each.path for each in ALIASES]


def bodies(alias):
    """The bodies of a request to the original and to the alias."""
    more = LAST_EDIT.get(alias.shape.record, ({}, {}))
    if alias.original[0] == "DELETE":
        return None, None
    return tuple(change | further for change, further in zip(CHANGES[alias.shape.record], more, strict=True))


def state():
    """Every record, but for the stamps that differ with each change."""
    rows = [list(model.objects.order_by("pk").values()) for model in MODELS]
    return [
        {name: value for name, value in row.items() if name != "trashed_at" and "stamp" not in name}
        for found in rows
        for row in found
    ]


def of_original(api, alias, place, body):
    """What the original answers and leaves, undone."""
    with transaction.atomic():
        response = api._send(alias.original[0], place.fill(alias.original[1]), body)
        after = state()
        transaction.set_rollback(True)
    assert response.status_code == 200, response.content
    return response, after


@each_once(
    ("slash", ["", "/"]),
    ("alias", ALIASES),
)
def test_an_alias_answers_and_changes_the_same_as_its_original(api, alias, slash, place):
    sent, renamed = bodies(alias)
    expected, after = of_original(api, alias, place, sent)
    before = state()
    response = api.post(place.fill(alias.path) + slash, renamed)
    assert response.status_code == 200, response.content
    assert response.json() == alias.shape.to_v7(expected.json()["value"])
    assert state() == after != before
    assert response.headers.get("ETag") == expected.headers.get("ETag")
    assert {*response.headers} == {*expected.headers}


@pytest.mark.parametrize("alias", [each for each in ALIASES if each.original[0] == "PUT"], ids=lambda each: each.path)
def test_names_of_v6_are_read_too(api, alias, place):
    sent, renamed = bodies(alias)
    _, after = of_original(api, alias, place, sent)
    assert api.post(place.fill(alias.path), sent).status_code == 200
    assert state() == after
    assert api.post(place.fill(alias.path), renamed).status_code == 200


def test_a_content_has_the_names_and_lists_of_v7(api, place):
    record = api.post(place.fill("/contents/{siteId}/{channelId}/{id}/actions/update"), {}).json()
    shown = {name: record[name] for name in ("id", "body", "top", "hot", "checked", "groupNames", "tagNames")}
    assert shown == {
        "id": place.content.pk,
        "body": "<p>Open</p>",
        "top": True,
        "hot": False,
        "checked": place.content.is_checked,
        "groupNames": ["news", "press"],
        "tagNames": ["开放日"],
    }
    assert not {"content", "isTop", "groupNameCollection", "tags", "value"} & record.keys()


def test_other_records_have_the_names_and_lists_of_v7(api, place):
    channel = api.post(place.fill("/channels/{siteId}/{channelId}/actions/update"), {}).json()
    above = [place.channel.site_id, place.channel.parent_id]
    assert (channel["groupNames"], channel["parentsPath"]) == (["a", "b"], above)
    assert "children" not in channel
    administrator = api.post(place.fill("/administrators/{id}/actions/update"), {}).json()
    assert (administrator["siteIds"], administrator["locked"]) == ([place.channel.site_id], False)
    user = api.post(place.fill("/users/{id}/actions/update"), {}).json()
    assert (user["checked"], user["locked"], len(user["createdDate"])) == (True, False, 19)
    assert not {"password", "passwordSalt", "passwordFormat"} & (user.keys() | administrator.keys())


def test_a_record_sent_back_changes_nothing(api, place):
    for alias in ALIASES:
        if alias.original[0] == "PUT":
            record = api.post(place.fill(alias.path), {}).json()
            before = state()
            assert api.post(place.fill(alias.path), record).json() == record
            assert state() == before


names = st.lists(st.text(st.characters(exclude_characters=",", exclude_categories=["Z", "C"]), min_size=1), max_size=3)


@given(names=names, ids=st.lists(st.integers(0, 10**18 - 1), max_size=3), other=st.text())
@pytest.mark.parametrize("shape", [CONTENT, CHANNEL, ADMINISTRATOR, USER], ids=lambda shape: shape.record)
def test_names_of_v7_lead_back_to_those_of_v6(shape, names, ids, other):
    lists = {int: ",".join(map(str, ids)), str: ",".join(names)}
    record = {v6: lists[shape.lists[v7]] if v7 in shape.lists else other for v7, v6 in shape.names.items()}
    renamed = shape.to_v7(record | {"title": other} | dict.fromkeys(shape.left_out, ""))
    assert {*renamed} == {*shape.names, "title"}
    assert shape.to_v6(renamed) == record | {"title": other}


def test_blanks_around_names_are_no_part_of_them():
    record = {"groupNameCollection": " news, press ,", "parentsPath": "1,23"}
    assert CHANNEL.to_v7(record) == {"groupNames": ["news", "press"], "parentsPath": [1, 23]}


def test_a_path_of_v6_keeps_a_custom_field_with_a_name_of_v7(api):
    content = ContentFactory(content="<p>Open</p>")
    record = api.put(single(content), {"body": "mine", "Top": "mine"}).json()["value"]
    assert (record["content"], record["body"], record["top"], record["isTop"]) == ("<p>Open</p>", "mine", "mine", False)
    renamed = api.post(f"{single(content)}/actions/update", {"body": "<p>Closed</p>"}).json()
    assert (renamed["body"], renamed["top"]) == ("<p>Closed</p>", False)
    record = api.get(single(content)).json()["value"]
    assert (record["content"], record["body"], record["top"]) == ("<p>Closed</p>", "mine", "mine")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"body": "a", "content": "b"}, "duplicate_member"),
        ({"body": "a", "Body": "a"}, "duplicate_member"),
        ({"title": "a", "Title": "a"}, "duplicate_member"),
        ({"tagNames": "a,b"}, "invalid_value"),
        ({"TagNames": ["a,b"]}, "invalid_value"),
        ({"groupNames": [1]}, "invalid_value"),
        ({"top": "maybe"}, "invalid_value"),
    ],
)
def test_what_cannot_be_read_is_400_and_changes_nothing(api, body, code, place):
    before = state()
    assert_error(api.post(place.fill("/contents/{siteId}/{channelId}/{id}/actions/update"), body), 400, code)
    assert state() == before


def test_ids_in_a_list_are_read_as_other_numbers(api, place):
    path = place.fill("/administrators/{id}/actions/update")
    assert api.post(path, {"siteIds": ["3", 5.0]}).json()["siteIds"] == [3, 5]
    for wrong in (3, "3", [-1], [1.5], [None], [True], ["x"]):
        assert_error(api.post(path, {"siteIds": wrong}), 400, "invalid_value")
    assert api.post(path, {"siteIds": None}).json()["siteIds"] == [3, 5]


def test_null_counts_as_not_sent(api, place):
    before = state()
    path = place.fill("/contents/{siteId}/{channelId}/{id}/actions/update")
    assert api.post(path, {"tagNames": None, "body": None}).json()["tagNames"] == ["开放日"]
    assert state() == before


@each_once(
    ("alias", ALIASES),
    ("headers", [{}, {"HTTP_IDEMPOTENCY_KEY": ""}]),
)
def test_a_missing_record_is_404_whatever_is_sent(api, alias, headers):
    path = PREFIX + re.sub(r"{\w+}", "999", alias.path)
    assert_error(api.post(path, {"body": "a", "content": "b", "siteIds": 1}, **headers), 404)


@pytest.mark.parametrize("alias", ALIASES, ids=IDS)
def test_if_match_is_that_of_the_record_at_its_own_path(api, alias, place):
    own, (_, body) = place.fill(alias.original[1]), bodies(alias)
    before = state()
    refused = api.post(place.fill(alias.path), body, HTTP_IF_MATCH='"stale"')
    shown = assert_error(refused, 412, "precondition_failed")
    present = api.get(own)
    assert shown["value"] == present.json()["value"] and state() == before
    assert api.post(place.fill(alias.path), body, HTTP_IF_MATCH=present.headers["ETag"]).status_code == 200


@each_once(
    ("method", ["GET", "PUT", "DELETE", "HEAD", "OPTIONS"]),
    ("alias", ALIASES),
)
def test_an_alias_is_a_post_only(api, place, alias, method):
    response = api.send(method, place.fill(alias.path))
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_other_actions_are_no_endpoints(api):
    for path in {re.sub(r"\w+$", "restore", alias.path) for alias in ALIASES}:
        assert_error(api.post(Place().fill(path), {}), 404, "route_not_found")


def test_a_path_without_an_id_says_so(api):
    error = assert_error(api.post("/api/v1/contents/1/2/news/actions/update", {}), 404, "route_not_found")
    assert "Use an id instead of news" in error["message"]


def test_a_user_reaches_the_own_record_with_a_token(stranger):
    user = account_of("users")
    token = {"X-SS-USER-TOKEN": token_of(stranger, "users", user)}
    path = f"/api/v1/users/{user.pk}/actions/update"
    assert stranger.post(path, {"displayName": "Me"}, headers=token).json()["displayName"] == "Me"
    assert_error(stranger.post(path, {"checked": False}, headers=token), 401, "scope_missing")
    other = f"/api/v1/users/{UserFactory().pk}/actions/update"
    assert_error(stranger.post(other, {}, headers=token), 401, "user_token_of_another")


def test_the_document_marks_the_aliases_and_they_come_last():
    from tests.openapi.documents import operations as documented

    marked = {f"{verb} {path}": each["x-alias-of"] for verb, path, each in documented() if "x-alias-of" in each}
    assert marked == {f"POST {PREFIX}{each.path}": f"{each.original[0]} {PREFIX}{each.original[1]}" for each in ALIASES}
    assert [path for _, path, _ in documented()][-len(ALIASES) :] == [PREFIX + each.path for each in ALIASES]
    assert {each.alias_of for each in operations()} - {None} == {each.original for each in ALIASES}


def test_the_page_lists_the_aliases_and_their_names():
    text = PAGE.read_text(encoding="utf-8").partition("## Clients of SSCMS v7")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `POST (\S+)` \| `(\S+) (\S+)` \|$", text, re.MULTILINE)
    assert listed == [(each.path, *each.original) for each in ALIASES]
    told = {
        record: re.findall(r"`(\w+)` \(`(\w+)`\)", words)
        for record, words in re.findall(r"^\| (\w+) \| (`\w+` \(.+) \|$", text, re.M)
    }
    assert told == {each.shape.record: [*each.shape.names.items()] for each in ALIASES}
