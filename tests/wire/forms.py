"""Forms with files of any size, as browsers send them to a real server."""

import re
from urllib.parse import urlencode

from tests.accounts.forms import BOUNDARY, FORM, text_part

_BATCH_SIZE = b"x" * 65_536
# What a video begins with.
MP4 = b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"


class Browser:
    """Keeps cookies, and sends forms with a file as browsers do. `connect` opens a connection."""

    def __init__(self, connect, **headers):
        self._connect, self._headers, self._cookies, self.token = connect, headers, {}, ""

    def sign_in(self):
        self.get("/admin/login/")
        form = {"username": "root", "password": "harbour-21", "csrfmiddlewaretoken": self.token}
        body = urlencode(form).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        assert self._send("POST", "/admin/login/", [body], headers)[0] == 302
        self.get("/admin/")
        return self

    def get(self, path):
        page = self._send("GET", path, [], {})[1].decode()
        self.token = re.search('name="csrfmiddlewaretoken" value="([^"]*)"', page)[1]

    def upload(self, path, beginning, size, *, name="a.bin", sent=None, accept="application/json", chunked=False):
        """The answer to a form with a file of that beginning and size, of which so many bytes are `sent`."""
        head = b"".join(
            b"--" + BOUNDARY.encode() + b"\r\n" + part
            for part in (
                text_part("csrfmiddlewaretoken", self.token) + b"\r\n",
                text_part("kind", "video") + b"\r\n",
                f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode(),
            )
        )
        end = f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {"Content-Type": FORM, "Accept": accept}
        if not chunked:
            headers["Content-Length"] = str(len(head) + size + len(end))
        parts = [head, beginning, *self._filling(min(size, sent or size) - len(beginning)), end]
        return self._send("POST", path, parts, headers, chunked=chunked)

    def _filling(self, size):
        yield from (_BATCH_SIZE for _ in range(size // len(_BATCH_SIZE)))
        yield _BATCH_SIZE[: size % len(_BATCH_SIZE)]

    def _send(self, method, path, parts, headers, *, chunked=False):
        headers = (
            self._headers | headers | {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        )
        headers |= {"Transfer-Encoding": "chunked"} if chunked else {}
        connection = self._connect()
        try:
            connection.request(method, path, filter(None, parts) if parts else None, headers, encode_chunked=chunked)
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie") or ():
                name, _, value = line.partition(";")[0].partition("=")
                self._cookies[name] = value
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()
