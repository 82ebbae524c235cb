"""One class of error for each meaning, whatever the server says of it."""

import pickle

import pytest
from cms_client import (
    AnswerError,
    BadRequest,
    CmsError,
    ConnectionFailed,
    IdempotencyKeyReused,
    NotFound,
    NotModified,
    NotSupported,
    OutcomeUnknown,
    PreconditionFailed,
    Retries,
    ServerError,
    TimedOut,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
)

from tests.client.faulty import answer, cut, drop, reset


@pytest.fixture
def caught(make, faulty):
    """The error that a read ends in after these acts, without anything being sent again."""

    def caught(*acts, **options):
        faulty.acts[:] = acts
        with pytest.raises(CmsError) as caught:
            make(faulty.address, "key", retries=Retries(times=0), **options).contents.get(1, 11, 5)
        return caught.value

    return caught


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (304, None, NotModified),
        (400, "invalid_value", BadRequest),
        (401, "key_unknown", Unauthorized),
        (403, None, Unauthorized),
        (404, "content_not_found", NotFound),
        (404, "route_not_found", NotSupported),
        (405, "method_not_allowed", NotSupported),
        (412, "precondition_failed", PreconditionFailed),
        (413, "body_too_large", TooLarge),
        (418, None, AnswerError),
        (422, "idempotency_key_reused", IdempotencyKeyReused),
        (429, "too_many_requests", TooManyRequests),
        (500, "server_error", ServerError),
        (501, None, ServerError),
        (502, None, Unavailable),
        (503, "database_busy", Unavailable),
        (503, "outcome_unknown", OutcomeUnknown),
        (504, None, Unavailable),
    ],
)
def test_each_meaning_has_its_class(caught, status, code, kind):
    error = caught(answer(status, {"message": "It is so.", "code": code}, X_Request_Id="r-1"))
    assert type(error) is kind
    assert (error.status, error.code, error.request_id) == (status, code, "r-1")


def test_an_error_says_all_that_the_server_said(caught):
    error = caught(answer(429, {"message": "Too much.", "code": "too_many", "x": 1}, Retry_After="7", X_Request_Id="r"))
    assert str(error) == "429 too_many: Too much. (request r)"
    assert (error.message, error.retry_after, error.members["x"]) == ("Too much.", 7, 1)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00 +999999999999999999999", None),
        ("9" * 400, None),
        ("soon", None),
        ("-3", None),
        ("", None),
    ],
)
def test_other_forms_of_retry_after(caught, header, seconds):
    assert caught(answer(503, {}, Retry_After=header)).retry_after == seconds


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, None, "The API key is missing, unknown, or does not reach this far; the server did not say which."),
        (404, "", "The server has nothing at this address."),
        (400, "<html>Bad</html>", "The server answered 400 Bad Request and did not say why."),
        (500, {"message": "An error.", "exceptionMessage": "No reference."}, "No reference."),
        (400, {"message": "站点不存在"}, "站点不存在"),
        (400, ["a list"], "The server answered 400 Bad Request and did not say why."),
    ],
)
def test_servers_of_the_original_have_good_errors_too(caught, status, body, message):
    error = caught(answer(status, body))
    assert error.message == message
    assert error.code is None


@pytest.mark.parametrize(
    ("body", "part"),
    [("<html>Welcome</html>", "no JSON object"), ([1], "no JSON object"), ({"records": []}, "no member value")],
)
def test_a_success_of_another_interface_is_told_from_ours(caught, body, part):
    error = caught(answer(200, body))
    assert type(error) is UnexpectedAnswer
    assert part in error.message


@pytest.mark.parametrize(
    ("body", "ask", "part"),
    [
        ({"value": "many"}, lambda client: client.stl.count(), "no number"),
        ({"value": None}, lambda client: client.stl.count(), "no number"),
        ("a picture", lambda client: client.captcha.draw("yzm"), "without its cookie"),
        ({"value": 1}, lambda client: client.contents.get(1, 11, 5), "no record"),
        ({"value": "text"}, lambda client: list(client.users.iterate()), "no list"),
        ({"contents": None}, lambda client: list(client.contents.iterate(1)), "no list"),
        ({"value": {}}, lambda client: client.sql.rows("SELECT 1"), "no list"),
    ],
)
def test_an_answer_that_cannot_be_used_is_told(make, faulty, body, ask, part):
    faulty.acts[:] = [answer(200, body, Set_Cookie="o/ther=1; Path=/")]
    with pytest.raises(UnexpectedAnswer, match=part):
        ask(make(faulty.address, "key"))


@pytest.mark.parametrize(("status", "kind"), [(200, UnexpectedAnswer), (400, BadRequest)])
def test_an_answer_that_is_nested_without_end_is_no_json(caught, status, kind):
    assert type(caught(answer(status, "[" * 200_000))) is kind


def test_what_is_too_long_for_an_address_is_refused_before(make, faulty):
    with pytest.raises(ValueError, match="cannot be sent"):
        make(faulty.address, "key").sql.rows("SELECT 1" + " " * 70_000)
    assert faulty.requests == []


@pytest.mark.parametrize("record", [None, {}])
def test_an_empty_record_is_none(caught, record):
    assert type(caught(answer(200, {"value": record}))) is NotFound


def test_a_redirect_is_told_and_not_followed(caught, faulty):
    error = caught(answer(302, None, Location="https://elsewhere.example/api/v1/contents"))
    assert type(error) is UnexpectedAnswer
    assert "elsewhere.example" in error.message
    assert len(faulty.requests) == 1


@pytest.mark.parametrize("act", [drop, reset, cut])
def test_a_connection_that_breaks_off_may_have_done_its_work(caught, act):
    error = caught(act)
    assert type(error) is ConnectionFailed
    assert error.was_sent
    assert "connection" in str(error).lower()


def test_a_connection_that_is_refused_has_sent_nothing(make, refusing):
    client = make(refusing, "key", retries=Retries(times=0))
    with pytest.raises(ConnectionFailed) as caught:
        client.ping()
    assert not caught.value.was_sent


def test_a_server_that_says_nothing_is_left(make, faulty):
    def stay(handler, *_):
        handler.rfile.read(1)  # until the client ends the connection

    faulty.acts[:] = [stay]
    client = make(faulty.address, "key", retries=Retries(times=0), timeout=0.05)
    with pytest.raises(TimedOut) as caught:
        client.ping()
    assert caught.value.was_sent


@pytest.mark.parametrize("act", [drop, answer(404, {"message": "None.", "code": "not_found"})])
def test_errors_travel_between_processes(caught, act):
    error = caught(act)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
