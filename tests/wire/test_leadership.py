"""Which thread runs a worker's event loop: one that handles requests, or the main thread during a long request."""

import threading
from types import SimpleNamespace

import pytest

from server.serving import leadership as module
from server.serving.leadership import Leadership

SECONDS = 30  # until a test that hangs fails


@pytest.fixture
def leadership():
    return Leadership()


def test_a_leader_whose_requests_are_short_goes_on_leading(leadership):
    term = leadership.give()
    for _ in range(3):
        assert leadership.resume(term)
        leadership.begin()
    assert not leadership.is_main


def test_the_main_thread_takes_over_from_a_request_that_takes_long_and_leads_for_a_while(leadership, monkeypatch):
    monkeypatch.setattr(module, "_SHORTEST_PAUSE", SECONDS)
    term = leadership.give()
    leadership.watch(SECONDS)
    assert leadership.is_main
    assert not leadership.resume(term)
    assert not leadership.may_be_given()


def test_the_main_thread_leads_longer_the_sooner_long_requests_follow(leadership, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def pause_after(seconds):
        leadership.give()
        now[0] += seconds
        leadership.regain(lambda: None)
        return leadership._paused_until - now[0]

    assert [pause_after(0.1) for _ in range(6)] == pytest.approx([0.02, 0.04, 0.08, 0.16, 0.32, 0.32])
    assert pause_after(60) == pytest.approx(0.02)


def test_a_former_leader_does_not_end_the_term_of_the_next(leadership):
    former = leadership.give()
    leadership.watch(SECONDS)
    term = leadership.give()
    assert not leadership.resume(former)
    assert leadership.resume(term)


def test_a_request_that_begins_while_the_main_thread_stops_watching_is_taken_over_too(leadership):
    term = leadership.give()
    assert leadership.resume(term)
    leadership.watch(0.3)  # nothing is carried out, so it waits to be woken
    beginning = threading.Timer(0.05, leadership.begin)
    beginning.start()
    leadership.watch(SECONDS)
    assert leadership.is_main
    beginning.join()


def test_an_idle_leader_hands_back_when_it_is_woken(leadership):
    assert leadership.resume(leadership.give())
    woken = threading.Event()

    def lead():
        assert woken.wait(SECONDS)
        assert leadership.is_wanted
        leadership.hand_back()

    leader = threading.Thread(target=lead)
    leader.start()
    leadership.regain(woken.set)
    leader.join()
    assert leadership.is_main
    assert not leadership.may_be_given()


def test_a_busy_leader_is_not_waited_for(leadership):
    term = leadership.give()
    leadership.regain(pytest.fail)
    assert leadership.is_main
    assert not leadership.resume(term)


def test_the_error_that_ends_a_leader_reaches_the_main_thread(leadership):
    leadership.give()
    leadership.hand_back(error := RuntimeError("a bug in the loop"))
    leadership.watch(SECONDS)
    assert leadership.is_main
    assert leadership.error is error
