"""`manage.py export_pages` in processes of its own: several workers, and a kill."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tools.programs import SECONDS
from tools.servers import ROOT, Installation

OWN_SERVERS = True  # whatever database the suite runs on
pytestmark = pytest.mark.large
_MAKE = """
import io
from PIL import Image
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from channels_app.models import Channel
from channels_app.services import create_channel, create_site
from contents.models import Content
from pages.models import Template
site = create_site("Generated", site_dir="generated")
channels = [create_channel(Channel.objects.get(pk=site.pk), f"C{n}") for n in range(3)]
Content.objects.bulk_create([
    Content(site=site, channel=channels[n % 3], title=f"T{n}", taxis=n, is_checked=True) for n in range(600)
])
made = {"site": site, "is_default": True}
text = "<h1>{content.title}</h1><img src='{stl.siteUrl}/upload/a.jpg?w=160'>"
Template.objects.create(**made, kind="ContentTemplate", name="t", text=text)
text = "<stl:pageContents pageNum='10'><stl:a></stl:a></stl:pageContents>"
Template.objects.create(**made, kind="ChannelTemplate", name="t", text=text + "<a href='{stl.siteUrl}/upload/a.jpg'>")
picture = io.BytesIO()
Image.new("RGB", (500, 400), (0, 0, 200)).save(picture, "JPEG")
default_storage.save(f"sites/{site.pk}/upload/a.jpg", ContentFile(picture.getvalue()))
"""
_PAGES = 600 + 3 * 20
_PICTURES = {"upload/a.jpg", "_cms/renditions/upload/a.jpg/w160.jpg"}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("data"))
    made.manage("shell", "-v", "0", "-c", _MAKE)
    return made


def pages_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.html")}


def pictures_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.jpg") if path.is_file()}


def test_workers_write_what_one_process_writes(installation, tmp_path):
    for folder, workers in (("one", "1"), ("many", "3")):
        line = installation.manage("export_pages", "generated", str(tmp_path / folder), "--workers", workers)
        assert f"pages={_PAGES} written={_PAGES + 2} unchanged=0 removed=0 problems=0 deadLinks=0" in line
        assert pictures_in(tmp_path / folder) == _PICTURES
    assert pages_in(tmp_path / "one") == pages_in(tmp_path / "many")


def test_an_export_that_is_killed_continues(installation, tmp_path):
    folder = tmp_path / "www"
    command = [sys.executable, "manage.py", "export_pages", "generated", str(folder), "--workers", "2"]
    process = subprocess.Popen(command, cwd=ROOT, env=installation.environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + SECONDS
    while not any(folder.rglob("*.html")):  # no output tells that it writes
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
    killed = pages_in(folder)
    assert 0 < len(killed) < _PAGES and b"" not in killed.values()
    while True:  # until the workers of the first have ended, which hold the lock
        done = subprocess.run(command, cwd=ROOT, env=installation.environment, capture_output=True, text=True)
        if "Another export is writing" not in done.stderr:
            break
        assert time.monotonic() < deadline
    assert done.returncode == 0, done.stderr
    assert "problems=0" in done.stdout and len(pages_in(folder)) == _PAGES
    assert pictures_in(folder) == _PICTURES
    assert f"pages={_PAGES}" not in done.stdout  # those of the first are not rendered again
    assert not list((folder / ".export").glob("writing-*"))
