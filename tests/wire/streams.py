"""Bytes to a real server and back, for what no client does by itself."""

import json
import socket
from contextlib import contextmanager

_SECONDS = 60


def request(path, method="GET", body=b"", **headers):
    """The bytes of a request; a body has its length, unless a header says otherwise."""
    sent = {"Host": "localhost", "Connection": "close"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    if body and "Transfer-Encoding" not in sent:
        sent.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def connect(server):
    """A connection, which ends with the block."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=_SECONDS) as stream:
        yield stream


def answer_of(stream):
    """Status, headers with small letters, and body of what comes until the server ends the connection."""
    whole = b"".join(iter(lambda: stream.recv(65536), b""))
    head, _, body = whole.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return int(first.split()[1]), headers, body


def ask(server, *parts, **headers):
    """The answer to a request through a connection of its own."""
    with connect(server) as stream:
        stream.sendall(request(*parts, **headers))
        return answer_of(stream)


def error_of(answer):
    """Status and code of an answer that is an error in JSON."""
    status, headers, body = answer
    assert headers["content-type"] == "application/json; charset=utf-8"
    assert int(headers["content-length"]) == len(body)
    return status, json.loads(body)["code"]
