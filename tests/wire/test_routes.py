"""The look-up of routes by the shape of a path finds what Django finds."""

from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from contents.stl.elements import ContentView
from core.rest import middleware

_PARTS = ["", "contents", "channels", "users", "stl", "content", "cONTENT", "check", "actions", "avatar", "ping", "a"]
_IDS = ["0", "7", "007", "9" * 18, "9" * 19, "-3", "٣", "1.5", "7a"]


@given(st.lists(st.sampled_from(_PARTS + _IDS * 2), max_size=5).map("/".join))
def test_any_path_leads_where_django_leads(rest):
    path = f"/api/v1/{rest}"
    expected = resolve(path)
    for _ in range(2):  # unknown at first, perhaps
        found = middleware._resolve(path)
        assert (found.func, found.args, found.kwargs) == (expected.func, expected.args, expected.kwargs)
        assert found.route == expected.route


def test_requests_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(middleware, "_routes", {})
    for number in range(100):
        for path in (f"contents/{number}", f"contents/{number}/2", f"nothing{number}", f"nothing/{number}", "ping"):
            middleware._resolve(f"/api/v1/{path}")
    assert middleware._routes.keys() == {"/api/v1/contents/0", "/api/v1/contents/0/0", "/api/v1/ping"}
    monkeypatch.setattr(middleware, "_MAX_ROUTES", 5)
    for case in ("content", "CONTENT", "Content", "cOntent", "coNtent"):
        assert middleware._resolve(f"/api/v1/stl/{case}").func.cls is ContentView
    assert len(middleware._routes) == 5
