"""The documentation as a site: what `make docs` builds, looked through file by file."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.documentation.building import built, documentation
from tools.documentation.code_samples import samples
from tools.documentation.repository_links import ROOT, beside, in_repository, in_site

TOUR = ROOT / "docs" / "tour"
# What a browser fetches by itself: elements, and where their addresses stand.
FETCHED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "form": "action",
}
# No assets: what stands for the page itself, or is asked for by nobody.
NOT_FETCHED = {"canonical", "next", "prev"}


class Page(HTMLParser):
    """Elements of a page: what it fetches, where it leads, and which places of it can be led to."""

    def __init__(self, path):
        super().__init__()
        self.fetched, self.links, self.places = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given["id"]} if given.get("id") else set()
        address = given.get(FETCHED.get(tag))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif address and given.get("rel") not in NOT_FETCHED:
            self.fetched.append(address)


@pytest.fixture(scope="module")
def site():
    return documentation()


@pytest.fixture(scope="module")
def pages(site):
    found = {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}
    assert found
    return found


@pytest.mark.parametrize(("page", "language"), [("tutorial.html", "en"), ("tutorial.zh.html", "zh-Hans")])
def test_a_page_says_in_which_language_it_is(site, page, language):
    assert f'<html lang="{language}"' in (site / page).read_text(encoding="utf-8")


def test_every_document_is_a_page(site):
    documents = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert documents
    assert {name for name in documents if not (site / name).with_suffix(".html").is_file()} == set()


def test_no_page_fetches_from_another_host(pages):
    assert {(name, each) for name, page in pages.items() for each in page.fetched if urlsplit(each).netloc} == set()


def test_no_style_sheet_fetches_from_another_host(site):
    sheets = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert sheets
    assert [
        each for sheet in sheets for each in re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", sheet)
    ] == []


def test_every_address_within_the_site_leads_to_a_file(site, pages):
    dead = []
    for name, page in pages.items():
        for address in (*page.fetched, *page.links):
            parts = urlsplit(address)
            # 404.html is shown at any address and therefore leads from the top.
            if parts.scheme or parts.netloc or name == "404.html":
                continue
            found = (site / name).parent / unquote(parts.path) if parts.path else site / name
            target = found.resolve() / "index.html" if found.is_dir() else found.resolve()
            place = unquote(parts.fragment)
            known = pages.get(target.relative_to(site.resolve()).as_posix())
            if not target.is_file() or (known and place not in known.places):
                dead.append((name, address))
    assert dead == []


def test_pages_of_the_repository_lead_to_the_site(pages):
    assert "../keys.html" in pages["repository/index.html"].links


def test_the_tour_shows_its_pictures(site, pages):
    told = set(re.findall(r"\(tour/([^)]+)\)", (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")))
    page = pages["tour.html"]
    assert {Path(each).name for each in (*page.fetched, *page.links) if each.endswith(".webp")} == told
    assert {path.name for path in (site / "tour").iterdir()} == {path.name for path in TOUR.iterdir()} >= told


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("pagination", "index.html"),
        ("sdk", "repository/client/index.html"),
        ("authentication", "keys.html"),
        ("timezone", "reference/settings.html"),
    ],
)
def test_the_search_finds_what_integrators_type(site, word, page):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"] if word in entry["text"].casefold()}
    found |= {entry["location"].partition("#")[0] for entry in index["docs"] if word in entry["title"].casefold()}
    assert page in found


def test_nothing_of_an_installation_comes_into_the_site(site):
    brought = {
        path.relative_to(site / "repository").as_posix() for path in (site / "repository").rglob("*") if path.is_file()
    }
    assert not {name for name in brought if name.endswith((".env", ".pem", ".key"))}
    assert "deploy/cms.env" not in beside()


@pytest.mark.parametrize(
    "text", ["[away](nowhere.md)", "[away](keys.md#nowhere)", "[away](../nowhere.md)", "[away](/keys.md)"]
)
def test_a_dead_link_ends_the_build(tmp_path, text):
    documents = tmp_path / "docs"
    documents.mkdir()
    (documents / "keys.md").write_text("# Keys\n", encoding="utf-8")
    (documents / "index.md").write_text(f"# Start\n\n{text}\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="link"):
        built(tmp_path / "site", docs_dir=str(documents), nav=None, hooks=[])


@pytest.mark.parametrize("path", ["docs/keys.md", "README.md", "deploy/compose.yaml"])
def test_a_place_in_the_site_tells_the_one_in_the_repository(path):
    assert in_repository(in_site(path)) == path


def test_each_operation_has_samples_in_tabs(site):
    shown = [path.read_text(encoding="utf-8").count('class="tabbed-set') for path in site.glob("reference/*.html")]
    assert sum(shown) == len(samples())
    contents = (site / "reference" / "contents.html").read_text(encoding="utf-8")
    section = contents.split('<a id="getContent"></a>', 1)[1].split("<a id=", 1)[0]
    assert re.findall(r"<label[^>]*>([^<]+)</label>", section) == ["curl", "Python", "TypeScript", "C#"]
    assert "client.contents.get" in re.sub("<[^>]+>", "", section)
