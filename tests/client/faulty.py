"""A real server before another one, at which connections break and answers get lost as a test wants it."""

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


class Faulty:
    """Does the next of its acts with each request, and passes on what comes after them."""

    def __init__(self, behind):
        self.behind, self.acts, self.requests = behind, [], []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def asked(self):
        """Verb and path of each request, in their order."""
        return [f"{request.command} {request.path}" for request in self.requests]


class Request:
    """One request as it came."""

    def __init__(self, handler):
        self.command, self.path, self.headers = handler.command, handler.path, handler.headers
        self.body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))


def _handler(faulty):
    class Handler(BaseHTTPRequestHandler):
        def do(self):
            request = Request(self)
            faulty.requests.append(request)
            act = faulty.acts.pop(0) if faulty.acts else pass_on
            act(self, request, faulty.behind)

        do_GET = do_POST = do_PUT = do_DELETE = do

        def log_message(self, *_):
            pass

    return Handler


# ---- acts


def drop(handler, request, behind):
    """End the connection without an answer."""


def reset(handler, request, behind):
    """Break the connection off."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut(handler, request, behind):
    """Answer less than was promised."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"val')


def lose(handler, request, behind):
    """Let the request be done, and lose the answer."""
    _ask(request, behind)


def pass_on(handler, request, behind):
    """Let the request be done, and answer."""
    answer = _ask(request, behind)
    _write(handler, answer.status_code, answer.headers, answer.content)


def answer(status, body=None, **headers):
    """Answer just this; a text as it is, anything else as JSON."""

    def act(handler, request, behind):
        sent = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        _write(handler, status, {name.replace("_", "-"): value for name, value in headers.items()}, sent)

    return act


def _ask(request, behind):
    headers = {name: value for name, value in request.headers.items() if name.lower() not in {"host", "connection"}}
    return httpx.request(request.command, behind + request.path, content=request.body, headers=headers, timeout=60)


def _write(handler, status, headers, body):
    handler.send_response(status)
    for name, value in headers.items():
        if name.lower() not in {"date", "server", "connection", "content-length", "transfer-encoding"}:
            handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
