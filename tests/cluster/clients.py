"""Clients of the service: some that ask without a pause, and the browser of an administrator."""

import html
import re
import threading
from contextlib import contextmanager
from http.client import HTTPException
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.cluster.servers import await_that
from tests.nginx import HOST

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?')
_TOKEN = re.compile(r"ssk1_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}")
_KEY = re.compile(r"/admin/apikeys/apikey/(\d+)/")
_REFUSAL = re.compile(r'<ul class="errorlist.*?</ul>', re.DOTALL)
_KEYS = "/admin/apikeys/apikey"


@contextmanager
def load(cluster, server, place, *, lists=True):
    """Readers of a content, and of a list, in four threads while the block lasts; with all that they were answered."""
    ended, answers = threading.Event(), []

    def read():
        while not ended.is_set():
            try:
                answers.append(cluster.ask(server, "GET", place).status_code)
                if lists:
                    answers.append(cluster.ask(server, "POST", "contents", {"siteId": 1}).status_code)
            except (OSError, HTTPException) as error:  # no answer, or a part of one
                answers.append(repr(error))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def await_more(answers, number=100):
    """Return when so many more have come."""
    target = len(answers) + number
    await_that(lambda: len(answers) >= target)


class Desk:
    """The browser of an administrator of the highest rank, who has signed in to the back end through the proxy."""

    def __init__(self, proxy, user_name, password):
        self._proxy, self._password, self._cookies = proxy, password, {}
        _assert_done(*self.send("/admin/login/", username=user_name, password=password))

    def issue_key(self, name, **sent):
        """The number and the token of a new key."""
        fields = {"name": name, "reach": "every", "expiry": "never", "own_password": self._password}
        answer, page = self.send(f"{_KEYS}/add/", **fields | sent)
        return _KEY.search(page)[1], _token_of(answer, page)

    def edit_key(self, number, **sent):
        """Give the key what is sent: all that it has."""
        fields = {"reach": "every", "expiry": "never", "own_password": self._password}
        _assert_done(*self.send(f"{_KEYS}/{number}/edit/", **fields | sent))

    def act_on_key(self, name, number, **sent):
        """Do the act of that name; the answer is the new token, if there is one."""
        answer, page = self.send(f"{_KEYS}/{number}/{name}/", own_password=self._password, **sent)
        if name in ("rotate", "reset"):
            return _token_of(answer, page)
        _assert_done(answer, page)
        return None

    def act_on_administrator(self, name, number):
        """Do the act of that name."""
        _assert_done(*self.send(f"/admin/accounts/administrator/actions/{name}/?ids={number}"))

    def send(self, path, **fields):
        """Open the page and send the form that is on it, filled in: the answer, and its text."""
        page = self._request("GET", path)
        assert page.status_code == 200, page.content
        hidden = {name: html.unescape(value) for name, value in _HIDDEN.findall(page.content.decode())}
        answer = self._request("POST", path, urlencode(hidden | fields, doseq=True).encode())
        return answer, answer.content.decode()

    def _request(self, method, path, body=None):
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Referer": f"https://{HOST}{path}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        answer = self._proxy.request(method, path, body, headers)
        for line in answer.headers.get_all("Set-Cookie", []):
            self._cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
        return answer


def _assert_done(answer, page):
    assert answer.status_code == 302, _REFUSAL.findall(page)


def _token_of(answer, page):
    tokens = set(_TOKEN.findall(page))
    assert answer.status_code == 200 and len(tokens) == 1, _REFUSAL.findall(page)
    return tokens.pop()
