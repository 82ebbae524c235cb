"""A small stand-in that answers as the original does: no cursors, no kept keys, no ETags, and paging of its own.

What it does and leaves undone: contents of one site, and users. Texts are paraphrased.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs, urlsplit

KEY = "7cd22002-27a7-4c5d-ba4d-a1c108a20eaf"
_COLUMNS = ("title", "content", "summary", "author", "source", "subTitle", "imageUrl", "videoUrl", "fileUrl", "linkUrl")
_DEFAULTS = {
    "addUserName": "admin",
    "lastEditUserName": "admin",
    "lastEditDate": "2020-05-01 10:00:00",
    "addDate": "2020-05-01 10:00:00",
    "groupNameCollection": None,
    "tags": None,
    "sourceId": 0,
    "referenceId": 0,
    "checkedLevel": 0,
    "hits": 0,
    "isTop": False,
    "isRecommend": False,
    "isHot": False,
    "isColor": False,
    # Its own, which no other server knows what to do with.
    "adminId": 1,
    "userId": 0,
    "downloads": 0,
    "checkState": "final",
    "sequence": 1,
    "pageContent": "",
    "translateContentType": None,
}


class Original:
    """Contents by id, and what was asked."""

    def __init__(self):
        self.contents, self.users, self.asked, self._ids = {}, [], [], count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}/api"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def create(self, site_id, channel_id, members):
        """A new content; the level decides whether it is approved, whatever `isChecked` says."""
        content_id = next(self._ids)
        taxis = 1 + max((each["taxis"] for each in self.contents.values()), default=0)
        record = dict.fromkeys(_COLUMNS) | _DEFAULTS | members
        record |= {"id": content_id, "siteId": site_id, "channelId": channel_id, "taxis": taxis}
        record["isChecked"] = int(record["checkedLevel"] or 0) >= 1
        record["navigationUrl"] = f"/contents/{channel_id}/{content_id}.html"
        self.contents[content_id] = record
        return record

    def list(self, body):
        """A page; the count is right on the first one only."""
        found = [
            each for each in self.contents.values() if all(_holds(each, rule) for rule in body.get("wheres") or [])
        ]
        if body.get("orders") is None:
            found.sort(key=lambda each: (each["isTop"], each["channelId"], each["taxis"], each["id"]), reverse=True)
        for rule in reversed(body.get("orders") or []):
            found.sort(key=lambda each: _member(each, rule["column"]), reverse=bool(rule.get("desc")))
        page, size = max(body.get("page") or 1, 1), body.get("perPage") or 20
        part = found[(page - 1) * size : page * size]
        return {"totalCount": len(found) if page == 1 else 0, "contents": part}


def _member(record, column):
    return {name.lower(): value for name, value in record.items()}[column.lower()]


def _holds(record, rule):
    assert rule.get("operator", "=") == "=", "the stand-in knows no other operator"
    return str(_member(record, rule["column"])) == rule["value"]


def _handler(original):
    class Handler(BaseHTTPRequestHandler):
        def do(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            parts = urlsplit(self.path)
            original.asked.append((self.command, parts.path, body))
            if self.headers.get("X-SS-API-KEY") != KEY:
                return self.answer(401)
            return self.route(parts.path.removeprefix("/api/v1/").split("/"), parse_qs(parts.query), body)

        do_GET = do_POST = do_PUT = do_DELETE = do

        def route(self, path, query, body):
            match (self.command, *path):
                case ("POST", "contents"):
                    return self.answer(200, original.list(body))
                case ("POST", "contents", site_id, channel_id):
                    return self.answer(200, {"value": original.create(int(site_id), int(channel_id), body)})
                case ("GET", "contents", _, _, content_id) if int(content_id) in original.contents:
                    return self.answer(200, {"value": original.contents[int(content_id)]})
                case ("GET", "contents", _, _, content_id):
                    return self.answer(200, {"value": {}})  # as some releases do for a missing one
                case ("DELETE", "contents", *_):
                    return self.answer(404)
                case ("POST", "channels", _):
                    return self.answer(500, {"message": "An error.", "exceptionMessage": "Object reference not set."})
                case ("GET", "users"):
                    top, skip = (int(query.get(name, [default])[0]) for name, default in (("top", 20), ("skip", 0)))
                    part = {"value": original.users[skip : skip + top], "count": len(original.users)}
                    return self.answer(200, part)
            return self.answer(404)

        def answer(self, status, body=None):
            sent = b"" if body is None else json.dumps(body, indent=2).encode()
            self.send_response(status)
            if body is not None:
                self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_):
            pass

    return Handler
