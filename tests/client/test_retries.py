"""What is sent again, after which waits, and what never is; through connections that really break."""

import pytest
from cms_client import ConnectionFailed, OutcomeUnknown, Retries, ServerError, TooManyRequests, Unavailable

from tests.cases import each_once
from tests.client.faulty import answer, cut, drop, lose, pass_on, reset

NEWS = 11
BUSY = answer(503, {"message": "Busy.", "code": "database_busy"}, Retry_After="2")
DOUBT = answer(503, {"message": "Look.", "code": "outcome_unknown"})
DOWN = answer(502)


@pytest.fixture
def client(make, faulty, museum):
    """A client of the real server through the faulty one."""
    return make(faulty.address, museum.key)


def create(client, **options):
    return client.contents.create(1, NEWS, {"title": "Sent once"}, **options)


def titled(client, title):
    return client.contents.list(1, NEWS, wheres={"column": "title", "value": title}).total


@each_once(
    ("act", [drop, reset, cut, DOWN, answer(503), answer(504), BUSY]),
    (
        "read",
        [
            lambda client: client.contents.get(1, 11, 30),
            lambda client: client.contents.list(1),
            lambda client: client.stl.sites(),
            lambda client: client.administrators.list(),
        ],
    ),
)
def test_a_read_is_sent_again(client, faulty, act, read):
    faulty.acts[:] = [act, act]
    assert read(client)
    assert len(faulty.requests) == 3
    assert faulty.requests[0].body == faulty.requests[2].body


def test_waits_grow_and_end(client, faulty):
    faulty.acts[:] = [drop] * 9
    with pytest.raises(ConnectionFailed):
        client.ping()
    assert client.waits == [0.5, 1, 2, 4]
    assert len(faulty.requests) == 5


def test_the_server_says_how_long_to_wait(client, faulty):
    faulty.acts[:] = [answer(429, {}, Retry_After="7")]
    client.ping()
    assert client.waits == [7]


def test_who_is_to_wait_for_long_is_told_so(client, faulty):
    faulty.acts[:] = [answer(429, {}, Retry_After="3600")]
    with pytest.raises(TooManyRequests) as caught:
        client.ping()
    assert caught.value.retry_after == 3600
    assert client.waits == []


def test_waits_differ_a_little_among_clients():
    failure = ConnectionFailed("broken")
    both = [Retries(chance=lambda: 0), Retries(chance=lambda: 1)]
    assert [retries.wait_before(1, failure) for retries in both] == [0.5, 0.625]
    assert 0.5 <= Retries().wait_before(1, failure) < 0.625


@pytest.mark.parametrize("act", [answer(429, {}), answer(400, {}), answer(404), answer(408), answer(500), answer(501)])
def test_no_other_refusal_is_asked_twice(client, faulty, act):
    faulty.acts[:] = [act]
    with pytest.raises(Exception, match=r"^[45]"):
        client.contents.list(1)
    assert len(faulty.requests) == 1


@each_once(
    ("act", [BUSY, answer(429, {}, Retry_After="1")]),
    (
        "write",
        [
            create,
            lambda client: client.contents.update(1, NEWS, 30, {"hits": 5}),
            lambda client: client.contents.update(1, NEWS, 30, {"hits": 6}, if_match="*"),
            lambda client: client.channels.delete(1, client.channels.create(1, {"channelName": "For a moment"})["id"]),
            lambda client: client.administrators.log_in("root", "harbour-21"),
        ],
    ),
)
def test_whatever_was_certainly_not_done_is_sent_again(client, faulty, act, write):
    faulty.acts[:] = [act]
    assert write(client)
    assert faulty.requests[0].body == faulty.requests[1].body


def test_a_refused_connection_has_sent_nothing(make, refusing):
    client = make(refusing, "key")
    with pytest.raises(ConnectionFailed):
        client.contents.delete(1, NEWS, 30)
    assert len(client.waits) == 4


@pytest.mark.parametrize("fault", [drop, lose, cut, DOWN, DOUBT])
def test_a_creation_is_sent_again_where_the_server_keeps_keys(client, faulty, fault):
    before = titled(client, "Sent once")
    faulty.requests.clear()
    faulty.acts[:] = [fault]
    made = create(client)
    assert client.contents.get(1, NEWS, made["id"])["title"] == "Sent once"
    assert titled(client, "Sent once") == before + 1
    assert faulty.asked[:3] == ["POST /api/v1/contents/1/11", "GET /api/v1/openapi.json", "POST /api/v1/contents/1/11"]
    keys = [faulty.requests[number].headers["Idempotency-Key"] for number in (0, 2)]
    assert keys[0] == keys[1]


def test_whether_the_server_keeps_keys_is_asked_once(client, faulty):
    for _ in range(2):
        faulty.acts[:] = [drop]
        create(client)
    assert faulty.asked.count("GET /api/v1/openapi.json") == 1


@pytest.mark.parametrize(
    "description", [answer(404), answer(200, "<html>"), answer(200, {"openapi": "3.1.0", "paths": {}}), answer(401)]
)
def test_a_creation_is_not_sent_again_where_the_server_keeps_no_keys(client, faulty, description):
    for _ in range(2):
        faulty.acts[:] = [lose, description]
        with pytest.raises(ConnectionFailed) as caught:
            create(client)
        assert caught.value.was_sent
        faulty.acts.clear()
    assert faulty.asked.count("POST /api/v1/contents/1/11") == 2
    assert faulty.asked.count("GET /api/v1/openapi.json") == 1


@pytest.mark.parametrize("fault", [drop, answer(500), answer(429)])
def test_what_cannot_be_found_out_is_not_relied_on(client, faulty, fault):
    faulty.acts[:] = [lose, *[fault] * 5]
    with pytest.raises(ConnectionFailed):
        create(client)
    faulty.acts[:] = [drop]
    assert create(client)  # found out now


def test_a_change_of_the_same_is_sent_again(client, faulty):
    faulty.acts[:] = [lose, DOWN]
    assert client.contents.update(1, NEWS, 30, {"hits": 9})["hits"] == 9
    assert len({request.body for request in faulty.requests}) == 1


def test_a_change_that_may_be_stored_is_not_sent_again(client, faulty):
    faulty.acts[:] = [DOUBT]
    with pytest.raises(OutcomeUnknown):
        client.contents.update(1, NEWS, 30, {"hits": 9})
    assert len(faulty.requests) == 1


@each_once(
    ("fault", [drop, reset, cut, DOWN, answer(503)]),
    (
        "write",
        [
            lambda client: client.contents.delete(1, NEWS, 30),
            lambda client: client.contents.update(1, NEWS, 30, {"hits": 9}, if_match="*"),
            lambda client: client.users.log_in("reader1", "lantern7"),
            lambda client: client.health(),
        ],
    ),
)
def test_what_would_mean_something_else_the_second_time_is_not_sent_again(client, faulty, fault, write):
    faulty.acts[:] = [fault]
    with pytest.raises((ConnectionFailed, Unavailable)):
        write(client)
    assert len(faulty.requests) == 1


def test_a_move_whose_answer_got_lost_is_not_refused_by_itself(client, faulty):
    """The second is answered as the first was, although the channel is not any more what the tag names."""
    channel = client.channels.create(1, {"channelName": "Riggers"})
    etag = client.with_etags.channels.get(1, channel["id"]).etag
    faulty.acts[:] = [lose]
    assert client.channels.move(1, channel["id"], parent_id=NEWS, if_match=etag)["parentId"] == NEWS
    assert client.channels.delete(1, channel["id"])["parentId"] == NEWS


def test_the_same_key_of_the_caller_makes_one_content(client):
    key = f"import {client.contents.list(1).total}"
    assert create(client, idempotency_key=key) == create(client, idempotency_key=key)


def test_a_fault_of_the_server_is_told(client, faulty):
    faulty.acts[:] = [pass_on, answer(500, {"message": "It is in the log.", "code": "server_error"})]
    client.ping()
    with pytest.raises(ServerError, match="in the log"):
        client.ping()


def test_the_log_tells_requests_and_repetitions_and_no_secret(client, faulty, museum, caplog):
    faulty.acts[:] = [lose]
    with caplog.at_level("DEBUG", logger="cms_client"):
        client.contents.list(1, wheres={"column": "title", "value": "a secret title"})
    told = [(each.levelname, each.getMessage()) for each in caplog.records if each.name == "cms_client"]
    assert [level for level, _ in told] == ["DEBUG", "WARNING", "DEBUG"]
    assert told[1][1].startswith("POST /contents is sent again in ")
    assert told[2][1] == "POST /contents: 200"
    assert museum.key not in caplog.text and "secret" not in caplog.text
