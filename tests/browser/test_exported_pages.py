"""An exported site behind nginx: pages are files, and a search asks the service."""

import shutil

import pytest
from playwright.sync_api import expect

from tests.pages.exporting import FileServer
from tools.servers import Installation

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is needed")
_MAKE = """
from channels_app.models import Channel
from channels_app.services import create_channel, create_site
from contents.models import Content
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from pages.models import Template
site = create_site("Exported", site_dir="exported")
channel = create_channel(Channel.objects.get(pk=site.pk), "News", file_path="news")
for number, title in enumerate(["Harbour one", "Harbour two", "Crane"]):
    Content.objects.create(site=site, channel=channel, title=title, taxis=number, is_checked=True)
default_storage.save(f"sites/{site.pk}/css/main.css", ContentFile(b"h1 { color: rgb(1, 2, 3) }"))
head = "<!DOCTYPE html><html lang=en><head><title>Exported</title>"
head += "<link rel=stylesheet href='/exported/css/main.css'></head>"
search = head + "<body><h1>{request.word}</h1><form><input name=word></form><table><stl:search type='title'><stl:yes>"
search += "<stl:pageContents pageNum='1'><tr><td><stl:a></stl:a></td></tr></stl:pageContents><tr><td><stl:pageItems>"
search += "<stl:pageItem type='nextPage' text='next'></stl:pageItem></stl:pageItems></td></tr></stl:yes>"
search += "<stl:no><tr><td>Nothing</td></tr></stl:no></stl:search></table>"
search += "<stl:dynamic>{request.word}<script>document.title = 'ran'</script></stl:dynamic></body></html>"
texts = {"IndexPageTemplate": "index", "ChannelTemplate": head + "<h1>{channel.channelName}</h1>",
         "ContentTemplate": head + "<h1>{content.title}</h1>"}
for kind, text in texts.items():
    path = "index.html" if kind == "IndexPageTemplate" else ""
    Template.objects.create(site=site, kind=kind, name="t", is_default=True, page_path=path, text=text)
Template.objects.create(site=site, kind="FileTemplate", name="search", page_path="utils/search.html", text=search)
Template.objects.create(site=site, kind="FileTemplate", name="404", page_path="404.html", text="no such page")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The address of nginx, which serves the exported site."""
    folder = tmp_path_factory.mktemp("www")
    folder.chmod(0o755)
    (folder / "exported").mkdir(mode=0o755)
    target = str(folder / "exported")
    # Tests that share an installation expect to find the sample site first.
    installation = Installation(tmp_path_factory.mktemp("service"))
    installation.manage("shell", "-v", "0", "-c", _MAKE)
    with installation.serve() as service:
        installation.manage("export_pages", "exported", target, "--service", service.address, "--workers", "1")
        with FileServer(tmp_path_factory.mktemp("nginx"), folder, "exported") as running:
            yield running.address


def test_pages_and_files_have_their_types(chromium, files):
    page = chromium.new_page(base_url=files)
    assert page.goto("/exported/").ok
    assert page.goto("/exported/news").headers["content-type"] == "text/html; charset=utf-8"
    assert page.locator("h1").evaluate("(heading) => getComputedStyle(heading).color") == "rgb(1, 2, 3)"
    missing = page.goto("/exported/none.html")
    assert (missing.status, page.locator("body").inner_text()) == (404, "no such page")
    assert page.goto("/exported/.export/manifest.sqlite3").status == 404
    page.close()


def test_a_search_is_answered_by_the_service(chromium, files):
    page = chromium.new_page(base_url=files)
    page.goto("/exported/utils/search.html")
    expect(page.locator("td a").first).to_have_text("Crane")
    word = page.locator("input[name=word]")
    word.fill("<b>harbour</b>")
    word.press("Enter")
    expect(page.locator("td")).to_have_text(["Nothing"])  # of the single text, Playwright would not await the number
    expect(page.locator("h1")).to_have_text("<b>harbour</b>")
    expect(word).to_have_value("<b>harbour</b>")
    word.fill("Harbour")
    word.press("Enter")
    expect(page.locator("td a").first).to_have_text("Harbour two")
    page.get_by_text("next").click()
    expect(page.locator("td a").first).to_have_text("Harbour one")
    assert page.url.startswith(f"{files}/exported/utils/search.html?word=Harbour&page=2")
    assert page.locator("table td").count() == 2
    page.close()


def test_scripts_in_fragments_do_not_run_again(chromium, files):
    page = chromium.new_page(base_url=files)
    page.add_init_script("addEventListener('DOMContentLoaded', () => { document.title = 'loaded' })")
    page.goto("/exported/utils/search.html?word=x")
    expect(page.locator("h1")).to_have_text("x")
    expect(page).to_have_title("loaded")
    page.close()
