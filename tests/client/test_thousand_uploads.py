"""A program that uploads 1,000 pictures, with both clients and a standard client of tus, one of them in two parts."""

import asyncio
import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cms_client import AsyncClient, Client
from PIL import Image

from tests.typescript_client import built_client, run

pytestmark = pytest.mark.large

AT_ONCE = 2  # of each client; a worker draws one picture, and lets 7 wait
BROKEN = 999  # a picture that is large enough for a connection to break off


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The pictures 0000.png to 0999.png, with their numbers in the first pixel."""
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(1000):
        colour = (number // 256, number % 256, 77)
        picture = Image.new("RGB", (24, 18), colour)
        if number == BROKEN:
            picture = Image.frombytes("RGB", (640, 480), os.urandom(640 * 480 * 3))
            picture.putpixel((0, 0), colour)
        picture.save(folder / f"{number:04}.png")
    return folder


def number_of(path):
    with Image.open(path) as picture:
        red, green, _ = picture.convert("RGB").getpixel((0, 0))
        return red * 256 + green


def send_blocking(address, key, site, paths):
    with Client(address, key) as client, ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda path: client.media.upload(site, path), paths))


def send_awaiting(address, key, site, paths):
    left = iter(paths)

    async def send_some(client):
        for path in left:
            await client.media.upload(site, path)

    async def send():
        async with AsyncClient(address, key) as client:
            await asyncio.gather(*(send_some(client) for _ in range(AT_ONCE)))

    asyncio.run(send())


def send_by_node(way, address, key, site, paths):
    names = [path.name for path in paths]
    environment = {"CMS_ADDRESS": address, "CMS_KEY": key, "CMS_SITE": str(site)}
    return json.loads(run("node", "test/uploads.mjs", way, str(paths[0].parent), *names, **environment))


def test_a_thousand_pictures_arrive_once_and_whole(museum, address, folder):
    built_client()
    site = int(museum.create_site("Photographs"))
    paths = sorted(folder.iterdir())
    with ThreadPoolExecutor() as pool:
        sent = [
            pool.submit(send_blocking, address, museum.key, site, paths[:200]),
            pool.submit(send_awaiting, address, museum.key, site, paths[200:400]),
            pool.submit(send_by_node, "client", address, museum.key, site, paths[400:800]),
            pool.submit(send_by_node, "tus", address, museum.key, site, paths[800:BROKEN]),
            pool.submit(send_by_node, "broken", address, museum.key, site, paths[BROKEN:]),
        ]
        *_, continued, broken = [each.result() for each in sent]
    assert continued == []
    assert len(broken) == 1 and 0 < broken[0] < paths[BROKEN].stat().st_size
    with Client(address, museum.key) as client:
        files = list(client.media.iterate(site))
    assert sorted(file["title"] for file in files) == [path.stem for path in paths]
    stored = Path(museum.environment["CMS_DATA_DIR"]) / "media" / "sites" / str(site)
    for file in files:
        assert number_of(stored / file["path"]) == int(file["title"])
        assert hashlib.sha256((stored / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    there = {path.relative_to(stored).as_posix() for path in stored.rglob("*") if path.is_file()}
    smaller = {path for path in there if path.endswith(("_small.png", "_middle.png"))}  # of the large one
    assert there - smaller == {file["path"] for file in files}
