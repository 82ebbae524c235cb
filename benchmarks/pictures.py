"""Measures the cost of pictures: drawing captchas, redrawing avatars, and the effect of both on other requests.

    .venv/bin/python benchmarks/pictures.py

The script measures three things: the time to draw a captcha; for the largest avatar in each format, the time
to redraw it, the peak memory, and the memory that stays allocated; and the latency of a ping while clients flood a
worker of four threads with requests for captchas, or one client keeps uploading the largest picture. It creates a
SQLite database in a temporary folder, and runs on Linux only, because it reads /proc.
"""

import argparse
import http.client
import io
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import databases
from PIL import Image
from servers import Server

SIDE = 5000
# The format, the mode, the side of the largest avatar in pixels, and the options for saving it.
FORMATS = [
    ("PNG", "RGB", SIDE, {}),
    ("PNG", "RGBA", SIDE, {}),
    ("PNG", "P", SIDE, {}),
    ("PNG", "I;16", SIDE, {}),
    ("GIF", "P", SIDE, {}),
    ("JPEG", "RGB", SIDE, {}),
    ("JPEG", "RGB", 2886, {"progressive": True, "subsampling": 0}),
    ("JPEG", "CMYK", SIDE, {}),
    ("JPEG", "RGB", 4082, {"progressive": True}),
    ("WEBP", "RGB", 1767, {"lossless": True, "method": 0, "quality": 0}),
    ("WEBP", "RGB", 1767, {"method": 0}),
    ("BMP", "RGB", 3535, {}),
    ("BMP", "1", SIDE, {}),
]
BOUNDARY = "----benchmark"


def main() -> None:
    """Measure captchas, avatars and pings, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="of each flood (default: %(default)s)")
    parser.add_argument("--clients", type=int, default=16, help="that ask for captchas (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"CMS_DATA_DIR": folder, "CMS_DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "cms_api.settings"}
        sys.path.insert(0, str(databases.ROOT))
        import django

        django.setup()
        time_captchas()
        time_avatars()
        time_pings(options.seconds, options.clients)


def time_captchas() -> None:
    """Print the time to draw a captcha."""
    from core import captcha

    token = captcha.new_token("benchmark")
    times = sorted(seconds(lambda: captcha.draw("benchmark", token)) for _ in range(1000))
    print("| captcha | ms |\n|---|---:|")
    print(f"| median | {times[500] * 1000:.2f} |\n| 99 of 100 | {times[990] * 1000:.2f} |\n")


def time_avatars() -> None:
    """Print time and memory for each format, measured in separate processes."""
    print("| avatar | megapixels | bytes | ms | CPU ms | MB | MB afterwards |\n|---|---:|---:|---:|---:|---:|---:|")
    for kind, mode, side, how in FORMATS:
        data = large_picture(kind, mode, how, side)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            taken, worked, most, more = pool.submit(draw, data).result()
        told = [word for word in ("progressive", "lossless") if how.get(word)]
        told += ["4:4:4"] if "subsampling" in how else []
        name = " ".join([kind, mode, *told])
        size = f"{side * side / 1e6:.1f} | {len(data)}"
        print(f"| {name} | {size} | {taken * 1000:.0f} | {worked * 1000:.0f} | {most:.0f} | {more:.0f} |")


def draw(data: bytes) -> tuple[float, float, float, float]:
    """Redraw a picture; return seconds, CPU seconds, peak megabytes, and megabytes that stay allocated."""
    import django

    django.setup()
    from accounts.avatars import draw_anew
    from core.uploads.pictures import LANE

    def work() -> float:
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        before = megabytes("VmRSS")
        draw_anew(data, max_pixels=SIDE * SIDE, side=512)
        return before

    LANE.run(partial(draw_anew, large_picture("PNG", "RGB", {}, 500), max_pixels=SIDE * SIDE, side=512))
    begin, begun = time.perf_counter(), time.process_time()
    before = LANE.run(work)
    taken, worked = time.perf_counter() - begin, time.process_time() - begun
    return taken, worked, megabytes("VmHWM") - before, megabytes("VmRSS") - before


def large_picture(kind: str, mode: str, how: dict[str, object], side: int = SIDE) -> bytes:
    """Return a picture with blocks of noise on a plain background, so that the file is small enough to upload."""
    picture, chance = Image.new(mode, (side, side)), random.Random(1)
    for _ in range(40):
        size = 64 * 64 * (2 if mode == "I;16" else len(mode))
        block = Image.frombytes(mode, (64, 64), chance.randbytes(size))
        picture.paste(block, (chance.randrange(side - 64), chance.randrange(side - 64)))
    file = io.BytesIO()
    picture.save(file, kind, **how)
    return file.getvalue()


def time_pings(duration: float, clients: int) -> None:
    """Print the latency of a ping while a worker draws pictures."""
    manage("migrate", "--verbosity", "0")
    manage("createsuperuser", "--noinput", "--user_name", "root", DJANGO_SUPERUSER_PASSWORD="harbour-21")
    key = manage("create_api_key", "benchmark", "--scope", "Users")
    server = Server("cms_api.wsgi", workers=1, CMS_LOG_LEVEL="ERROR")
    server._command += ["--worker-class", "gthread", "--threads", "4"]
    with server:
        created = server.ask("POST", "/api/v1/users", '{"userName": "pictured", "password": "harbour1"}', key)[1]
        user = int(created.partition(b'"id":')[2].partition(b",")[0])
        picture = large_picture("PNG", "RGB", {})
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'.encode()
        body = head + picture + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {"X-SS-API-KEY": key, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        floods = {
            "nothing else": [],
            f"{clients} clients ping as well": [("GET", "/api/v1/ping", b"", {})] * clients,
            f"{clients} clients ask for captchas": [("GET", "/api/v1/captcha/a", b"", {})] * clients,
            "one client uploads pictures": [("POST", f"/api/v1/users/{user}/avatar", body, headers)],
        }
        print(
            "\n| ping while | median ms | 99 of 100, ms | others' requests a second | refused |\n"
            "|---|---:|---:|---:|---:|"
        )
        for name, requests in floods.items():
            pings, done, refused = ping_during(server.port, requests, duration)
            middle, late = statistics.median(pings) * 1000, sorted(pings)[int(len(pings) * 0.99)] * 1000
            print(f"| {name} | {middle:.1f} | {late:.1f} | {done / duration:.0f} | {refused / duration:.0f} |")


def ping_during(port: int, requests: list[tuple[str, str, bytes, dict[str, str]]], duration: float):
    """Return the seconds of each ping, and the numbers of other requests with status 200 and with another."""
    end, answers = time.monotonic() + duration, []

    def flood(method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            answers.append(exchange(connection, method, path, body, headers))

    threads = [threading.Thread(target=flood, args=request) for request in requests]
    for thread in threads:
        thread.start()
    connection, pings = http.client.HTTPConnection("127.0.0.1", port, timeout=60), []
    while time.monotonic() < end:
        pings.append(seconds(lambda: exchange(connection, "GET", "/api/v1/ping")))
        time.sleep(0.005)
    for thread in threads:
        thread.join()
    good = answers.count(200)
    return pings, good, len(answers) - good


def exchange(connection: http.client.HTTPConnection, method: str, path: str, body=b"", headers=None) -> int:
    """Send a request and return the status of the response."""
    connection.request(method, path, body or None, headers or {})
    response = connection.getresponse()
    response.read()
    return response.status


def manage(*arguments: str, **settings: str) -> str:
    """Run a management command and return its output."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=databases.ROOT, env=os.environ | settings, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().strip()


def seconds(act: Callable[[], object]) -> float:
    """Return the duration of the call in seconds."""
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def megabytes(name: str) -> float:
    """Return a memory figure of this process, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1024


if __name__ == "__main__":
    main()
