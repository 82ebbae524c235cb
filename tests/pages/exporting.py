"""Exports of sites: the command, and a site that has every kind of page."""

import re
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from pages.models import TemplateKind
from tests.nginx import AROUND, ROOT, USER, Nginx, free_ports
from tests.pages.showing import Museum
from tests.pages.sites import make_template, store

HEAD = "<html><head><title>{stl.siteName}</title></head><body><stl:include file='/include/head.html'></stl:include>"
PAGES = {
    TemplateKind.INDEX: HEAD
    + "<stl:contents isTop='true' order='back'></stl:contents><stl:tags></stl:tags></body></html>",
    TemplateKind.CHANNEL: HEAD
    + "<stl:location></stl:location><stl:pageContents pageNum='2' scope='All'><stl:a></stl:a></stl:pageContents>"
    "<stl:pageItems><stl:pageItem type='pageNavigation'></stl:pageItem></stl:pageItems></body></html>",
    TemplateKind.CONTENT: HEAD + "<h1>{content.title}</h1><stl:content type='content'></stl:content>"
    "<stl:navigation type='previousContent'></stl:navigation><stl:navigation type='nextContent'></stl:navigation>"
    "<stl:contents isRelatedContents='true'></stl:contents><stl:contents totalNum='2'></stl:contents></body></html>",
}
MENU = "<stl:channels><stl:a></stl:a><stl:contents totalNum='1'></stl:contents></stl:channels>"
SEARCH = (
    "<html><body><h1>{request.word}</h1><form><input name='word'></form><stl:search type='title'>"
    "<stl:yes><stl:pageContents pageNum='1'><p><stl:a></stl:a></p></stl:pageContents></stl:yes>"
    "<stl:no><p>Nothing</p></stl:no></stl:search></body></html>"
)


def make_museum():
    """The museum of the tests with templates, a search, a style sheet and an upload."""
    museum = Museum()
    for kind, text in PAGES.items():
        path = "index.html" if kind == TemplateKind.INDEX else ""
        make_template(museum.site, kind, is_default=True, page_path=path, text=text)
    make_template(museum.site, TemplateKind.INCLUDE, name="include/head.html", text=MENU)
    make_template(museum.site, TemplateKind.FILE, name="search", page_path="utils/search.html", text=SEARCH)
    store(museum.site, "css/main.css", b"body { background: url(../none.png) }")
    store(museum.site, "upload/images/1.png", b"picture")
    return museum


@dataclass
class Exported:
    """A folder, and the command that writes it."""

    folder: Path
    site: object

    def run(self, *options):
        """Exit status, lines of the output, and the counts in the last one."""
        out, errors, status = StringIO(), StringIO(), 0
        try:
            arguments = [str(self.site.pk), str(self.folder), "--workers", "1", "--quiet", *options]
            call_command("export_pages", *arguments, stdout=out, stderr=errors)
        except SystemExit as error:
            status = error.code
        lines = errors.getvalue().splitlines() + out.getvalue().splitlines()
        counts = dict(part.split("=", 1) for part in lines[-1].split())
        return status, lines[:-1], {name: int(text) for name, text in counts.items() if text.isdecimal()}

    @property
    def files(self):
        """Bytes by path below the site's address, without what the export keeps for itself."""
        found = [path for path in self.folder.rglob("*") if path.is_file() and ".export" not in path.parts]
        return {f"/{path.relative_to(self.folder)}": path.read_bytes() for path in found}


class FileServer(Nginx):
    """nginx as docs/export.md has it, for a site in a folder of `root`."""

    def __init__(self, folder, root, site_dir):
        folder.chmod(0o755)
        self.folder, (self.port,) = folder, free_ports(1)
        text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
        (text,) = re.findall(r"^```nginx\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for old, new in (
            ("/museum/", f"/{site_dir}/"),
            ("listen 80;", f"listen 127.0.0.1:{self.port};"),
            ("root /srv/www;", f"root {root};"),
        ):
            assert old in text
            text = text.replace(old, new)
        (folder / "cms.conf").write_text(f"include /etc/nginx/mime.types;\n{text}", encoding="utf-8")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=USER), encoding="utf-8")

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"
