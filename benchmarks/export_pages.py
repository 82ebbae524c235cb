"""Measures `manage.py export_pages`: a first export, one that writes nothing new, and one with --since-last.

    CMS_DATABASE_URL=… CMS_DATA_DIR=… .venv/bin/python benchmarks/export_pages.py --contents 10000

Makes a site of that many contents in 20 channels, whose pages have a menu, the neighbours and two lists, or exports the
existing `--site`. CPU is the time of the export's processes, without the database server.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_HEAD = "<!DOCTYPE html><html><head><title>{stl.siteName}</title></head><body><stl:include file='/include/menu.html'/>"
_LISTS = "".join(
    f"<stl:contents channelIndex='c{n}' totalNum='6'><p><stl:a></stl:a></p></stl:contents>" for n in range(11)
)
_TEXTS = {
    ("IncludeFile", "include/menu.html"): "<stl:channels><stl:a></stl:a></stl:channels>",
    ("IndexPageTemplate", "index"): f"{_HEAD}{_LISTS}",
    ("ChannelTemplate", "channel"): f"{_HEAD}<stl:pageContents pageNum='20'><p><stl:a></stl:a></p></stl:pageContents>"
    "<stl:pageItems><stl:pageItem type='pageNavigation'></stl:pageItem></stl:pageItems>",
    ("ContentTemplate", "content"): f"{_HEAD}<stl:location></stl:location><h1>{{content.title}}</h1>"
    "<stl:content type='content'></stl:content><stl:navigation type='previousContent'></stl:navigation>"
    "<stl:navigation type='nextContent'></stl:navigation><stl:contents totalNum='6'><stl:a></stl:a></stl:contents>"
    "<stl:contents isRelatedContents='true' totalNum='5'><stl:a></stl:a></stl:contents>",
}  # fmt: skip


def make_site(number: int) -> str:
    """Return the id of a new site of so many contents."""
    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "cms_api.settings"
    import django

    django.setup()
    from django.db import connection

    from channels_app.models import Channel
    from channels_app.services import create_channel, create_site
    from contents.models import Content, ContentBody
    from pages.models import Template

    site = create_site("Exported", site_dir=f"exported{time.time_ns()}")
    home = Channel.objects.get(pk=site.pk)
    channels = [create_channel(home, f"Channel {n}", index_name=f"c{n}") for n in range(20)]
    made = Content.objects.bulk_create(
        [
            Content(
                site=site, channel=channels[n % 20], title=f"Title {n}", taxis=n, is_checked=True, tags=f"t{n % 50}"
            )
            for n in range(number)
        ],
        1000,
    )
    ContentBody.objects.bulk_create([ContentBody(content=one, text="<p>Some words.</p>" * 50) for one in made], 1000)
    for (kind, name), text in _TEXTS.items():
        path = "index.html" if name == "index" else ""
        is_default = kind != "IncludeFile"
        Template.objects.create(site=site, kind=kind, name=name, text=text, page_path=path, is_default=is_default)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as the servers do by themselves a little later
    return str(site.pk)


def main() -> None:
    """Export three times and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", help="id or folder of an existing site")
    parser.add_argument("--contents", type=int, default=10_000)
    parser.add_argument("--workers", default="2")
    options = parser.parse_args()
    site = options.site or make_site(options.contents)
    print("| export | pages | written | seconds | pages/s | CPU ms of a page |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="cms-export-") as folder:
        for name, further in (("first", []), ("again", []), ("--since-last", ["--since-last"])):
            command = [
                sys.executable,
                "manage.py",
                "export_pages",
                site,
                folder,
                "--workers",
                options.workers,
                *further,
            ]
            began, before = time.monotonic(), _cpu()
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            seconds, cpu = time.monotonic() - began, _cpu() - before
            pages, written = re.findall(r"^pages=(\d+) written=(\d+)", done.stdout, re.MULTILINE)[0]
            rate, each = int(pages) / seconds, 1000 * cpu / int(pages)
            print(f"| {name} | {pages} | {written} | {seconds:.1f} | {rate:.0f} | {each:.1f} |", flush=True)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
