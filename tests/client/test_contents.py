"""Contents through both clients, against a real server."""

from contextlib import suppress
from datetime import datetime

import pytest
from cms_client import BadRequest, NotFound, all_of, any_of, not_, order, where

NEWS = 11


@pytest.fixture
def content(client):
    """A new content of the news, gone after the test."""
    made = client.contents.create(1, NEWS, {"title": "Launch of the library ship", "hits": 7, "berth": "B 3"})
    yield made
    with suppress(NotFound):
        client.contents.delete(1, NEWS, made["id"])


def test_a_list_is_a_page_with_the_number_of_all(client):
    whole = client.contents.list(1, NEWS, per_page=1000)
    page = client.contents.list(1, NEWS, per_page=3, page=2)
    assert page.records == whole.records[3:6]
    assert page.total == whole.total == len(whole)


def test_a_list_takes_every_filter(client):
    page = client.contents.list(
        1, NEWS, checked=True, top=False, recommend=False, color=False, hot=False, group_names=["none of that name"],
        tag_names={"nor this"}, wheres=where("hits", ">=", 0), orders=[order("addDate", desc=True)], count="exact",
    )  # fmt: skip
    assert (page.records, page.total) == ([], 0)


def test_fields_are_all_that_is_answered(client):
    page = client.contents.list(1, NEWS, fields=["title", "id"], count="none")
    assert {frozenset(record) for record in page} == {frozenset({"id", "title"})}
    assert page.total is None


def test_rules_combine(client, content):
    rules = where("title", "Contains", "library ship") & (where("hits", "=", 7) | where("author", "=", "nobody"))
    found = client.contents.list(1, NEWS, wheres=rules)
    assert [record["id"] for record in found] == [content["id"]]
    assert content["id"] not in [record["id"] for record in client.contents.list(1, NEWS, wheres=~rules)]


@pytest.mark.parametrize(
    ("rules", "is_found"),
    [
        ({"column": "berth", "value": "B 3"}, True),
        ([where("hits", "In", [6, 7]), where("berth", "StartsWith", "B")], True),
        (where("hits", "Between", (8, 9)), False),
        (where("berth", "IsNull"), False),
        (where("isTop", "=", False) & where("addDate", ">", datetime(2020, 1, 1)), True),
        (any_of(where("hits", "<", 1), all_of(not_(where("hits", "!=", 7)))), True),
    ],
)
def test_every_form_of_rule_is_one_for_the_server(client, content, rules, is_found):
    found = client.contents.list(1, NEWS, wheres=rules, per_page=1000)
    assert (content["id"] in [record["id"] for record in found]) is is_found


def test_a_content_is_read(client, content):
    whole = client.contents.get(1, NEWS, content["id"])
    assert whole["title"] == "Launch of the library ship"
    assert whole.get("berth") == "B 3"
    assert client.contents.get(1, NEWS, content["id"], fields=["hits"]) == {"hits": 7}


def test_a_content_is_changed(client, content):
    moment = datetime(2026, 3, 1, 9, 30)
    changed = client.contents.update(1, NEWS, content["id"], {"summary": "开放日", "addDate": moment})
    assert (changed["summary"], changed["addDate"]) == ("开放日", "2026-03-01 09:30:00")
    assert client.contents.get(1, NEWS, content["id"]) == changed


def test_a_content_is_approved(client, content):
    assert content["isChecked"] is False
    approved = client.contents.check(1, [(NEWS, content["id"]), (NEWS, 10**9)], reasons="read twice")
    assert [(record["id"], record["isChecked"]) for record in approved] == [(content["id"], True)]


def test_a_content_is_deleted(client, content):
    assert client.contents.delete(1, NEWS, content["id"])["id"] == content["id"]
    with pytest.raises(NotFound) as caught:
        client.contents.get(1, NEWS, content["id"])
    assert caught.value.code == "content_not_found"


def test_a_batch_is_created_changed_approved_moved_and_deleted(client):
    made = client.contents.create_many(1, NEWS, ({"title": f"Fog {n}", "berth": n} for n in range(3)))
    assert [(record["title"], record.get("berth")) for record in made] == [("Fog 0", 0), ("Fog 1", 1), ("Fog 2", 2)]
    ids = [record["id"] for record in made]
    changed = client.contents.update_many(
        1, NEWS, [{"id": ids[1], "addDate": datetime(2026, 3, 1)}], fields=["addDate"]
    )
    assert changed == [{"addDate": "2026-03-01 00:00:00"}]
    approved = client.contents.check_many(1, NEWS, ids, reasons="read", fields={"id", "isChecked"})
    assert approved == [{"id": number, "isChecked": True} for number in ids]
    moved = client.contents.move_many(1, NEWS, ids, 12, fields=["channelId"])
    assert moved == [{"channelId": 12}] * 3
    assert client.contents.delete_many(1, 12, ids, fields=["id"]) == [{"id": number} for number in ids]


def test_a_batch_raises_its_first_error_or_returns_each(client, content):
    with pytest.raises(BadRequest) as caught:
        client.contents.create_many(1, NEWS, [{"title": "Fog"}, {"title": ""}])
    assert (caught.value.members["member"], caught.value.members["position"]) == ("contents[1].title", 1)
    done, error = client.contents.update_many(
        1, NEWS, [{"id": content["id"], "hits": 8}, {"id": 10**9}], atomic=False, fields=["hits"]
    )
    assert done == {"hits": 8}
    assert isinstance(error, NotFound)
    assert (error.status, error.code) == (404, "content_not_found")
    assert str(10**9) in error.message


def test_a_refusal_says_what_is_wrong(client):
    with pytest.raises(BadRequest) as caught:
        client.contents.create(1, NEWS, {"title": " "})
    error = caught.value
    assert (error.status, error.members["code"]) == (400, error.code)
    assert error.message in str(error)
    assert error.request_id in str(error)
