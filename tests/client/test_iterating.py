"""Iterating over lists: by cursor, by numbered pages, by windows."""

import pytest
from cms_client import BadRequest, order, where

from tests.client.faulty import answer, drop, pass_on
from tests.client.original import KEY

NEWS = 11


@pytest.fixture
def old(make, original):
    """A client of the stand-in, which has 25 contents."""
    for number in range(25):
        original.create(1, NEWS, {"title": f"Number {number}", "hits": number % 3})
    return make(original.address, KEY)


def ids(records):
    return [record["id"] for record in records]


def pages_of(original):
    return [body.get("page") for _, path, body in original.asked if path == "/api/v1/contents"]


def test_all_contents_come_once_in_the_order_of_the_list(client):
    assert ids(client.contents.iterate(1, per_page=7)) == ids(client.contents.list(1, per_page=1000))


@pytest.mark.parametrize("orders", [order("hits", desc=True), [order("isTop"), order("addDate")], order("summary")])
def test_any_order_will_do(client, orders):
    whole = ids(client.contents.list(1, per_page=1000, orders=orders))
    assert ids(client.contents.iterate(1, per_page=7, orders=orders)) == whole


def test_filters_and_fields_hold_on_each_page(client):
    found = list(client.contents.iterate(1, wheres=where("hits", ">", 0), fields=["hits"], per_page=7))
    assert len(found) == client.contents.list(1, wheres=where("hits", ">", 0)).total
    assert all(list(record) == ["hits"] for record in found)


def test_a_page_is_asked_for_when_it_is_needed(make, faulty, museum):
    records = make(faulty.address, museum.key).contents.iterate(1, per_page=5)
    assert faulty.requests == []
    for _ in range(5):
        next(records)
    assert len(faulty.requests) == 1
    next(records)
    assert len(faulty.requests) == 2


def test_a_page_that_is_lost_is_asked_for_again(make, faulty, museum):
    client = make(faulty.address, museum.key)
    whole = ids(client.contents.list(1, per_page=1000))
    faulty.acts[:] = [pass_on, drop]
    assert ids(client.contents.iterate(1, per_page=len(whole) - 1)) == whole
    assert len(faulty.requests) == 1 + 3


def test_progress_is_told_after_each(client):
    seen, total = [], client.contents.list(1).total
    for number, _ in enumerate(client.contents.iterate(1, per_page=25, progress=lambda *now: seen.append(now))):
        assert len(seen) == number
    assert seen == [(number, total) for number in range(1, total + 1)]


def test_what_the_server_refuses_is_an_error(client):
    with pytest.raises(BadRequest, match="noSuchColumn"):
        list(client.contents.iterate(1, orders=order("noSuchColumn")))


def test_a_server_without_cursors_is_asked_for_numbered_pages(old, original):
    assert ids(old.contents.iterate(1, per_page=10)) == list(range(1, 26))  # by id
    assert pages_of(original) == [None, 1, 2, 3]
    original.asked.clear()
    assert len(list(old.contents.iterate(1, per_page=10))) == 25
    assert pages_of(original) == [1, 2, 3]  # it is known by now


def test_pages_of_such_a_server_have_an_order_that_ends_with_the_id(old, original):
    found = list(old.contents.iterate(1, per_page=4, orders=order("hits"), fields=["ID", "hits"]))
    assert [(record["hits"], record["id"]) for record in found] == sorted((n % 3, n + 1) for n in range(25))
    *_, (_, _, body) = original.asked
    assert body["orders"] == [{"column": "hits", "desc": False}, {"column": "id", "desc": False}]
    assert body["fields"] == ["hits", "id"]


def test_its_total_is_that_of_the_first_page(old):
    seen = []
    list(old.contents.iterate(1, per_page=10, progress=lambda *now: seen.append(now)))
    assert seen == [(number, 25) for number in range(1, 26)]


def test_what_comes_in_meanwhile_does_no_harm(old, original):
    records = old.contents.iterate(1, per_page=10, orders=order("id", desc=True))
    first = [next(records) for _ in range(10)]
    original.create(1, NEWS, {"title": "New on top"})
    assert ids(first + list(records)) == list(range(25, 0, -1))


@pytest.mark.parametrize("number", [9, 10, 11, 20, 35])
@pytest.mark.parametrize("read", [10, 20])
def test_pages_of_what_came_in_meanwhile_are_no_end(old, original, read, number):
    records = old.contents.iterate(1, per_page=10, orders=order("id", desc=True))
    first = [next(records) for _ in range(read)]
    for _ in range(number):
        original.create(1, NEWS, {"title": "New on top"})
    found = ids(first + list(records))
    assert [each for each in found if each <= 25] == list(range(25, 0, -1))
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("number", [0, 1, 10, 20])
def test_the_last_page_of_such_a_server_may_be_full_or_empty(make, original, number):
    for each in range(number):
        original.create(1, NEWS, {"title": str(each)})
    assert len(list(make(original.address, KEY).contents.iterate(1, per_page=10))) == number


def test_a_server_that_repeats_its_first_page_is_left(make, faulty):
    faulty.acts[:] = [answer(200, {"totalCount": 9, "contents": [{"id": 1}, {"id": 2}]})] * 9
    assert ids(make(faulty.address, "key").contents.iterate(1, per_page=2)) == [1, 2]
    assert len(faulty.requests) == 4  # by cursor, and three times by number


@pytest.mark.parametrize("count", [{}, {"count": 9}])
def test_a_server_that_knows_no_windows_is_left(make, faulty, count):
    faulty.acts[:] = [answer(200, {"value": [{"id": 1}, {"id": 2}], **count})] * 9
    assert ids(make(faulty.address, "key").users.iterate(per_page=2)) == [1, 2]
    assert len(faulty.requests) == 2


@pytest.mark.parametrize(("number", "pages"), [(0, 1), (5, 2), (6, 2), (7, 3)])
def test_users_come_by_windows(make, original, number, pages):
    original.users[:] = [{"id": each} for each in range(number)]
    assert ids(make(original.address, KEY).users.iterate(per_page=3)) == list(range(number))
    assert len(original.asked) == pages


def test_windows_without_a_count_end_with_a_short_one(make, faulty):
    pages = [{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 3}]
    faulty.acts[:] = [answer(200, {"value": page}) for page in pages]
    assert ids(make(faulty.address, "key").users.iterate(per_page=2)) == [1, 2, 3]


@pytest.mark.parametrize("read", [1, 6])
@pytest.mark.parametrize("gone", [[0], [0, 1], range(6), [0, 3, 6], [5, 6, 7], range(20)], ids=str)
@pytest.mark.parametrize("size", [1, 3])
def test_users_that_are_deleted_meanwhile_hide_nobody(make, original, size, read, gone):
    original.users[:] = [{"id": each} for each in range(20)]
    records = make(original.address, KEY).users.iterate(per_page=size)
    found = [next(records) for _ in range(read)]
    asked = -(-read // size) * size  # these have been answered already
    original.users[:] = [user for user in original.users if user["id"] not in gone]
    assert ids(found + list(records)) == [each for each in range(20) if each < asked or each not in gone]


def test_users_of_the_service_who_are_deleted_meanwhile_hide_nobody(client):
    made = [client.users.create({"userName": f"visitor{number}", "password": "lantern7"}) for number in range(7)]
    records = client.users.iterate(per_page=2, keyword="visitor")
    found = [next(records), next(records)]
    for each in made[:2]:
        client.users.delete(each["id"])
    assert ids(found + list(records)) == ids(made)
    for each in made[2:]:
        client.users.delete(each["id"])


def test_users_who_come_into_the_filter_meanwhile_hide_nobody(client):
    made = [client.users.create({"userName": f"guest{number}", "password": "lantern7"}) for number in range(14)]
    for each in made[:4]:
        client.users.update(each["id"], {"isLockedOut": True})
    records = client.users.iterate(per_page=2, keyword="guest", isLockedOut=False)
    found = [next(records) for _ in range(4)]
    for each in made[:4]:
        client.users.update(each["id"], {"isLockedOut": False})
    assert sorted(ids(found + list(records))) == ids(made)
    for each in made:
        client.users.delete(each["id"])


@pytest.mark.parametrize("size", [0, -1])
def test_pages_have_a_record_at_least(make, original, size):
    client = make(original.address, KEY)
    for iterate in (
        client.users.iterate,
        client.administrators.iterate,
        lambda **how: client.contents.iterate(1, **how),
    ):
        with pytest.raises(ValueError, match="per_page"):
            list(iterate(per_page=size))
