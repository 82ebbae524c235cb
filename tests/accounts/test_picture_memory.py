"""What drawing a picture of 24 million pixels leaves behind in a worker."""

import subprocess
import sys

import pytest

from tests.servers import ROOT

# MB that the process has more than before, at most and afterwards.
PROGRAM = """
import io, sys
from pathlib import Path
import django
django.setup()
from PIL import Image
from accounts.pictures import draw_anew
from cms_api.uploads.pictures import LANE

def megabytes(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024

def draw(size):
    kind, mode = sys.argv[1:]
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind)
    data = file.getvalue()
    del file
    def work():
        Path("/proc/self/clear_refs").write_text("5")
        before = megabytes("VmRSS")
        draw_anew(data, max_pixels=25_000_000, side=512)
        return before
    before = LANE.run(work)
    return megabytes("VmHWM") - before, megabytes("VmRSS") - before

draw((600, 400))
LANE.run(lambda: None)
print(*draw((6000, 4000)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("kind", "mode", "most"),
    [
        ("JPEG", "RGB", 60),
        ("PNG", "RGB", 60),
        ("PNG", "RGBA", 60),
        ("PNG", "P", 60),
        ("PNG", "I;16", 60),
        ("GIF", "P", 60),
        ("BMP", "1", 60),
        ("WEBP", "RGB", 420),
    ],
)
def test_a_picture_takes_little_memory_and_gives_it_back(tmp_path, kind, mode, most):
    environment = {"CMS_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "cms_api.settings"}
    command = [sys.executable, "-c", PROGRAM, kind, mode]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    at_most, afterwards = map(float, done.stdout.split())
    assert at_most <= most
    assert afterwards <= 20
