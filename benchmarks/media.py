"""Measures the media library: lists of a large site, drawing renditions, and serving kept ones.

    .venv/bin/python benchmarks/media.py
    .venv/bin/python benchmarks/media.py --database postgres://postgres@127.0.0.1/cms_benchmark_media

Processor times of lists are those of this process alone, without the database server. The script needs room for a
temporary folder, creates and drops its database, and runs on Linux only, because it reads the memory of a process.
"""

import argparse
import io
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import databases

from tools.servers import Installation

FILES, REPETITIONS, ROUNDS, REQUESTS = 200_000, 15, 9, 300
WIDTHS = (320, 640, 1200, 2000)
WORDS = [
    "harbour",
    "quay",
    "pier",
    "lamp",
    "rope",
    "tide",
    "ferry",
    "mast",
    "sail",
    "bell",
    "crane",
    "net",
    "港口",
    "码头",
    "渡船",
    "灯塔",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="", help="of PostgreSQL (default: SQLite in a temporary folder)")
    parser.add_argument("--files", type=int, default=FILES, help="rows of the site (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.database:
            databases.create(options.database, replace=True)
        os.environ |= {"CMS_DATA_DIR": folder, "CMS_DATABASE_URL": options.database, "CMS_CACHE_URL": ""}
        try:
            measure_lists(options.files)
        finally:
            if options.database:
                from django.db import connections

                connections.close_all()
                databases.drop(options.database)
    if not options.database:
        measure_drawing()
        measure_serving()


def tell(what: str, text: str) -> None:
    sys.stdout.write(f"{what}: {text}\n")
    sys.stdout.flush()


def measure_lists(files: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "cms_api.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    number = make_rows(files)
    from accounts.models import Administrator

    client, editor = Client(SERVER_NAME="127.0.0.1"), Client(SERVER_NAME="127.0.0.1")
    client.force_login(Administrator.objects.create_superuser("root", "harbour-lantern-27"))
    editor.force_login(editor_of_a_branch(number))
    # After all changes, since no server follows them.
    begun = time.process_time()
    call_command("rebuild_search", quiet=True, stdout=io.StringIO())
    tell("building the index of words", f"{time.process_time() - begun:.1f} s of processor time")
    key = io.StringIO()
    call_command("create_api_key", "media", "--scope", "Media", stdout=key)
    headers = {"X-SS-API-KEY": key.getvalue().strip()}
    admin, api = f"/admin/media_library/mediafile/?site__id__exact={number}", f"/api/v1/media/{number}"
    for name, address, sent in (
        ("admin, first page", admin, {}),
        ("admin, a word", f"{admin}&q=lighthouse", {}),
        ("admin, no alternative text", f"{admin}&without_text=1", {}),
        ("API, first page", f"{api}?top=24", headers),
        ("API, a page by cursor", f"{api}?top=24&cursor=", headers),
        ("API, a rare word", f"{api}?top=24&text=lighthouse", headers),
        ("API, a common word", f"{api}?top=24&text=harbour", headers),
    ):
        milliseconds = median(lambda address=address, sent=sent: ask(client, address, sent), time.process_time)
        elapsed = median(lambda address=address, sent=sent: ask(client, address, sent), time.perf_counter)
        tell(name, f"{milliseconds:.1f} ms of processor time, {elapsed:.1f} ms elapsed")
    for name, address in (("an editor of a branch, first page", admin), ("… a word", f"{admin}&q=lighthouse")):
        milliseconds = median(lambda address=address: ask(editor, address, {}), time.process_time)
        elapsed = median(lambda address=address: ask(editor, address, {}), time.perf_counter)
        tell(name, f"{milliseconds:.1f} ms of processor time, {elapsed:.1f} ms elapsed")


def ask(client, address: str, headers: dict[str, str]) -> None:
    response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content[:200]


def median(act: Callable[[], None], clock: Callable[[], float]) -> float:
    """Return the milliseconds of a call, after a first one."""
    act()
    times = []
    for _ in range(REPETITIONS):
        begun = clock()
        act()
        times.append((clock() - begun) * 1000)
    return statistics.median(times)


def make_rows(files: int) -> int:
    """Make a site whose library has these rows, one in 5,000 with the word that is sought, and return its id."""
    from django.db import connection

    from media_library.models import MediaFile
    from sites.models import Site
    from tests.factories import SiteFactory  # fills in the channel and the settings

    site: Site = SiteFactory()
    draw = random.Random(1)
    for start in range(0, files, 5000):
        rows = []
        for number in range(start, min(start + 5000, files)):
            words = " ".join(draw.choices(WORDS, k=4)) + (" lighthouse" if number % 5000 == 7 else "")
            path = f"upload/images/{number % 120}/{number:x}.jpg"
            known = {"kind": "image", "bytes": 90_000, "width": 1200, "height": 800, "sha256": f"{number:064x}"}
            text = words if number % 3 else ""
            rows.append(MediaFile(site=site, path=path, title=words, alternative_text=text, **known))
        MediaFile.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return site.pk


def editor_of_a_branch(site_id: int):
    """Return an administrator who sees one in 100 files: those of a channel; the others belong to another channel."""
    from django.contrib.auth.models import Group, Permission

    from accounts.models import Administrator, GroupPlace
    from media_library.models import MediaFile, MediaFolder
    from sites.models import Site
    from tests.factories import ChannelFactory

    site = Site.objects.get(pk=site_id)
    own, other = (ChannelFactory(site=site) for _ in range(2))
    folders = [
        MediaFolder.objects.create(site_id=site_id, name=f"Folder {number}", channel_id=channel.pk)
        for number, channel in enumerate([own, *[other] * 399])
    ]
    files = MediaFile.objects.filter(site=site_id)
    first = files.order_by("pk").values_list("pk", flat=True)[0]
    for number, folder in enumerate(folders[:100]):
        files.filter(pk__in=range(first + number, first + FILES, 100)).update(folder=folder)
    group = Group.objects.create(name="editors")
    group.permissions.set(Permission.objects.filter(codename__endswith="_mediafile"))
    GroupPlace.objects.create(group=group, site_id=site_id, channel_id=own.pk)
    editor = Administrator.objects.create_user("editor", "harbour-lantern-27", is_superuser=False)
    editor.groups.add(group)
    return editor


def measure_drawing() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        seconds, megabytes = pool.submit(draw_widths, photograph((4000, 3000)), photograph((400, 300))).result()
    tell(f"a JPEG of 12 megapixels to {len(WIDTHS)} WebP widths", f"{seconds:.2f} s, {megabytes:.0f} MB more memory")


def draw_widths(data: bytes, small: bytes) -> tuple[float, float]:
    from media_library.renditions.drawing import Focus, draw
    from media_library.renditions.requested import Requested

    forms = [Requested(width, None, "contain", "webp", 75, False) for width in WIDTHS]
    draw(small, forms[0], Focus(), max_pixels=50_000_000)  # loads all code
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    before = memory("VmRSS")
    begun = time.process_time()
    for form in forms:
        draw(data, form, Focus(), max_pixels=50_000_000)
    return time.process_time() - begun, memory("VmHWM") - before


def memory(figure: str) -> float:
    """Return a figure of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{figure}:")) / 1024


def photograph(size: tuple[int, int]) -> bytes:
    """Return a JPEG with areas and noise, as large as one of a camera."""
    from PIL import Image

    draw = random.Random(2)
    small = Image.frombytes("RGB", (80, 60), bytes(draw.randrange(256) for _ in range(80 * 60 * 3)))
    noise = Image.effect_noise(size, 12).convert("RGB")
    picture = Image.blend(small.resize(size, Image.Resampling.BICUBIC), noise, 0.2)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=88)
    return file.getvalue()


def measure_serving() -> None:
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder, sample_site=True)
        stored = Path(folder) / "media" / "sites" / "1" / "upload" / "benchmark.jpg"
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(photograph((1200, 800)))
        with installation.serve(CMS_WORKERS="1") as server:
            connection = HTTPConnection("127.0.0.1", server.port)
            addresses = {"original": "/media/sites/1/upload/benchmark.jpg"}
            addresses["rendition"] = f"{addresses['original']}?w=640&format=webp"
            for _ in range(2):  # the first request makes the rendition
                sizes = {name: rate(connection, address, 3)[1] for name, address in addresses.items()}
            ratios = []
            for _ in range(ROUNDS):
                rates = {name: rate(connection, address, REQUESTS)[0] for name, address in addresses.items()}
                ratios.append(rates["rendition"] / rates["original"])
            told = ", ".join(f"{name} {size // 1024} KB" for name, size in sizes.items())
            tell("rate of a kept rendition to that of the original", f"{statistics.median(ratios):.2f} ({told})")


def rate(connection: HTTPConnection, address: str, requests: int) -> tuple[float, int]:
    """Return the requests per second, and the bytes of the last response."""
    begun, size = time.perf_counter(), 0
    for _ in range(requests):
        connection.request("GET", address)
        response = connection.getresponse()
        size = len(response.read())
        assert response.status == 200
    return requests / (time.perf_counter() - begun), size


if __name__ == "__main__":
    main()
