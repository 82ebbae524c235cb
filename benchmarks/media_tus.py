"""Measures a large upload by tus: its time, and the memory that the server needs for it.

    .venv/bin/python benchmarks/media_tus.py --megabytes 2048

It sends a video in one request, and in requests of 50 MB, to a server with one process on SQLite, in a temporary folder
with room for three times as much. It runs on Linux only, because it reads /proc.
"""

import argparse
import os
import sys
import tempfile
import time
from base64 import b64encode
from http.client import HTTPConnection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.servers import Installation

MEGABYTE = 1024 * 1024
MP4 = b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"
RAISE_LIMIT = (
    "from sites.models import Site; site = Site.objects.get(pk={}); "
    "site.settings['videoUploadTypeMaxSize'] = 4 * 1024 * 1024; site.save()"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=2048, help="size of the file (default: %(default)s)")
    size = parser.parse_args().megabytes * MEGABYTE
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        site = installation.create_site("Films")
        installation.manage("shell", "-c", RAISE_LIMIT.format(site))
        key = installation.manage("create_api_key", "tus", "--scope", "Media:write")
        with installation.serve(CMS_WORKERS="1") as server:
            upload(server.port, key, site, MEGABYTE, MEGABYTE)  # loads all code
            (worker,) = server.workers
            for portion in (size, 50 * MEGABYTE):
                before, begun = memory_of(worker), time.monotonic()
                upload(server.port, key, site, size, portion)
                seconds = time.monotonic() - begun
                more = (memory_of(worker, "VmHWM") - before) / MEGABYTE
                sys.stdout.write(f"portions of {portion // MEGABYTE} MB: {seconds:.1f} s, {more:.1f} MB more memory\n")


def memory_of(process: int, figure: str = "VmRSS") -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{figure}:")) * 1024


def upload(port: int, key: str, site: str, size: int, portion: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    known = {"X-SS-API-KEY": key, "Tus-Resumable": "1.0.0"}
    metadata = f"filename {b64encode(b'quay.mp4').decode()}"
    new = {"Upload-Length": str(size), "Upload-Metadata": metadata}
    connection.request("POST", f"/api/v1/media/{site}/uploads", headers=known | new)
    response = connection.getresponse()
    path = response.headers["Location"]
    response.read()
    sent = 0
    while sent < size:
        length = min(portion, size - sent)
        headers = {"Upload-Offset": str(sent), "Content-Type": "application/offset+octet-stream"}
        connection.request("PATCH", path, pieces(sent, length), known | headers | {"Content-Length": str(length)})
        response = connection.getresponse()
        body = response.read()
        assert response.status == 204, body
        sent = int(response.headers["Upload-Offset"])
    connection.close()


def pieces(start: int, length: int):
    if not start:
        head = MP4 + os.urandom(16)  # each file is another one
        yield head
        length -= len(head)
    block = bytes(MEGABYTE)
    while length:
        yield block[:length]
        length -= min(length, MEGABYTE)


if __name__ == "__main__":
    main()
