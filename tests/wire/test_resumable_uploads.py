"""Uploads by tus through a real server: connections that break off, a server that is killed, and large files."""

import json
import os
import signal
import socket
from base64 import b64encode
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.wire.forms import MP4
from tests.wire.test_large_forms import peak_of
from tools.programs import SECONDS

pytestmark = pytest.mark.large

MEGABYTE = 1024 * 1024
BLOCK = bytes(range(256)) * 4096
NODE = {"CMS_WORKERS": "1", "CMS_MAX_BODY_BYTES": "2000000"}


class TusClient:
    def __init__(self, server, key, site):
        self.server, self.key, self.site = server, key, site

    def headers(self, **further):
        known = {"X-SS-API-KEY": self.key, "Tus-Resumable": "1.0.0"}
        return known | {name.replace("_", "-"): str(value) for name, value in further.items()}

    def create(self, size):
        metadata = f"filename {b64encode(b'quay.mp4').decode()}"
        headers = self.headers(Upload_Length=size, Upload_Metadata=metadata)
        answer = self.server.request("POST", f"/api/v1/media/{self.site}/uploads", b"", headers)
        assert answer.status_code == 201, answer.content
        return answer.headers["Location"]

    def offset(self, path):
        return int(self.server.request("HEAD", path, headers=self.headers()).headers["Upload-Offset"])

    def patch(self, path, offset, pieces, size):
        """Open a connection, and send these of `size` bytes."""
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        connection.putrequest("PATCH", path)
        headers = self.headers(Upload_Offset=offset, Content_Type="application/offset+octet-stream")
        for name, value in (headers | {"Content-Length": str(size)}).items():
            connection.putheader(name, value)
        connection.endheaders()
        for piece in pieces:
            connection.send(piece)
        return connection

    def record(self, path):
        return json.loads(self.server.request("GET", path, headers=self.headers()).content)["value"]["file"]


def answer_of(connection):
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 204, body
    return answer


@pytest.fixture(scope="module")
def key(installation):
    return installation.manage("create_api_key", "tus", "--scope", "Media:write")


@pytest.fixture(scope="module")
def site(installation):
    return installation.create_site("Films")


@pytest.fixture(scope="module")
def nodes(installation):
    """Two servers that share the folder and the database."""
    with installation.serve(**NODE) as first, installation.serve(**NODE) as second:
        yield first, second


def test_a_connection_that_breaks_off_keeps_what_has_arrived(nodes, key, site):
    clients = [TusClient(node, key, site) for node in nodes]
    data = MP4 + BLOCK + b"breaks off"
    path = clients[0].create(len(data))
    connection = clients[0].patch(path, 0, [data[:700_000]], len(data))
    connection.sock.shutdown(socket.SHUT_WR)
    connection.getresponse().read()
    connection.close()
    assert clients[1].offset(path) == 700_000
    answer_of(clients[1].patch(path, 700_000, [data[700_000:]], len(data) - 700_000))
    assert clients[0].record(path)["size"] == len(data)


def test_a_body_in_chunks_is_taken(nodes, key, site):
    client = TusClient(nodes[0], key, site)
    pieces = [MP4, BLOCK, BLOCK, BLOCK, b"in chunks"]
    path = client.create(sum(map(len, pieces)))
    headers = client.headers(Upload_Offset=0, Content_Type="application/offset+octet-stream")
    answer = client.server.request("PATCH", path, iter(pieces), headers)
    assert answer.status_code == 204, answer.content
    assert client.record(path)["size"] == client.offset(path) == sum(map(len, pieces))


def test_a_server_that_is_killed_loses_at_most_a_part(installation, nodes, key, site):
    size = len(MP4) + 40 * MEGABYTE
    with installation.serve(**NODE) as killed:
        client = TusClient(killed, key, site)
        path = client.create(size)
        connection = client.patch(path, 0, [MP4, *[BLOCK] * 30], size)
        other = TusClient(nodes[0], key, site)
        while other.offset(path) < 16 * MEGABYTE:
            pass
        for process in (killed.pid, *killed.workers):
            os.kill(process, signal.SIGKILL)
        connection.close()
    offset = other.offset(path)
    whole = MP4 + BLOCK * 40
    answer_of(other.patch(path, offset, [whole[offset:]], size - offset))
    assert other.record(path)["size"] == size
    assert not [file for file in folder_of(installation, site).rglob("*") if file.is_file()]


def folder_of(installation, site):
    return Path(installation.environment["CMS_DATA_DIR"]) / "media" / "sites" / site / ".new"


def test_a_large_file_needs_little_memory(nodes, key, site):
    client = TusClient(nodes[0], key, site)
    size = len(MP4) + 250 * MEGABYTE
    path = client.create(size)
    (worker,) = nodes[0].workers
    before = peak_of(worker)
    answer = answer_of(client.patch(path, 0, [MP4, *[BLOCK] * 250], size))
    assert peak_of(worker) - before < 60 * MEGABYTE
    assert answer.headers["Upload-Offset"] == str(size)
