"""Addresses in another letter case or with slashes too many, as Windows does not tell them apart."""

import os
from datetime import datetime

import pytest
from django.core.files.storage import default_storage

from core.lib.media_storage import WholeFiles
from core.lib.statement_limit import TooSlow
from core.uploads.media import spelling_of
from pages import content_resolver
from pages.models import TemplateKind
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site, make_template, store
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]


@world
def site():
    return make_site(site_dir="museum")


def location(client, path, **options):
    """Where the address redirects for ever; None for an address that does not exist."""
    answer = client.generic("GET", "/", PATH_INFO=path.encode().decode("latin-1"), **options)
    assert answer.status_code in {301, 404}, path
    if answer.status_code == 301:
        assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    return answer.headers.get("Location")


def status(client, path):
    answer = client.get(path)
    answer.getvalue()
    return answer.status_code


@pytest.mark.parametrize("path,true", [
    ("/museum/JS/hoverintent.js", "/museum/js/hoverIntent.js"),
    ("/museum/js//hoverIntent.js", "/museum/js/hoverIntent.js"),
    ("/MUSEUM//js/hoverIntent.JS", "/museum/js/hoverIntent.js"),
    ("/museum/Upload/Images/图 1.JPG", "/museum/upload/images/%E5%9B%BE%201.jpg"),
    ("/museum/Parts/Menu.HTML", "/museum/parts/menu.html"),
    ("/museum/INDEX.html", "/museum/index.html"),
    ("/museum//index.html", "/museum/index.html"),
    ("//museum/index.html", "/museum/index.html"),
    ("/museum/Index_2.html", "/museum/index_2.html"),
    ("/museum/UTILS/search.html", "/museum/utils/Search.html"),
    ("/museum/Channels/{news}.html", "/museum/channels/{news}.html"),
    ("/museum/channels//{news}_3.html", "/museum/channels/{news}_3.html"),
    ("/museum/ABOUT/", "/museum/About/"),
    ("/museum/about", "/museum/About/"),
    ("/museum/about/index.HTML", "/museum/About/index.html"),
    ("/museum/Contents/{news}/{shown}.html", "/museum/contents/{news}/{shown}.html"),
    ("/museum/contents/{news}//{shown}_2.html", "/museum/contents/{news}/{shown}_2.html"),
])  # fmt: skip
def test_an_address_redirects_to_its_spelling(client, site, path, true):
    for name in ("js/hoverIntent.js", "upload/images/图 1.jpg", "parts/menu.html"):
        store(site, name)
    make_template(site, TemplateKind.FILE, name="search", page_path="utils/Search.html")
    news = ChannelFactory(site=site)
    ChannelFactory(site=site, file_path="/About/index.html")
    shown = ContentFactory(channel=news, is_checked=True)
    numbers = {"news": news.pk, "shown": shown.pk}
    path, true = path.format(**numbers), true.format(**numbers)
    first = location(client, path)
    assert first == true or location(client, first) == true
    assert location(client, path, QUERY_STRING="a=1&b=%2F%2Fx") == f"{first}?a=1&b=%2F%2Fx"
    assert status(client, true) == (404 if "_" in true else 200)  # none of the pages has a second one


@pytest.mark.parametrize("rule", ["/News/{@title}.html", "/News/{@sequence}.html"])
def test_contents_whose_address_has_no_id(client, site, rule):
    site.settings = {"contentFilePathRule": rule}
    site.save()
    content = ContentFactory(channel=ChannelFactory(site=site), title="Harbour Ships", is_checked=True)
    last = "Harbour Ships" if "title" in rule else "1"
    assert location(client, f"/museum/NEWS/{last.upper()}.html") == f"/museum/News/{last.replace(' ', '%20')}.html"
    type(content).objects.update(is_checked=False)
    assert location(client, f"/museum/NEWS/{last.upper()}.html") is None


def test_comparing_contents_in_another_case_ends_early(client, site, monkeypatch):
    site.settings = {"contentFilePathRule": "/{@title}.html"}
    site.save()
    ContentFactory(channel=ChannelFactory(site=site), is_checked=True)
    real, seen = content_resolver.statement_limit, []

    def noted(connection, seconds):
        seen.append(seconds)
        if seconds < 1:
            raise TooSlow
        return real(connection, seconds)

    monkeypatch.setattr(content_resolver, "statement_limit", noted)
    assert location(client, "/museum/none.html") is None
    assert seen == [1.0, 0.25]


@pytest.mark.parametrize("hidden", [{"is_checked": False}, {"is_checked": True, "trashed_at": datetime(2021, 1, 1)}])
def test_what_has_no_page_is_not_told(client, site, hidden):
    news = ChannelFactory(site=site)
    content = ContentFactory(channel=news, **hidden)
    off = ChannelFactory(site=site, settings={"isChannelCreatable": False})
    gone = ChannelFactory(site=site, trashed_at=datetime(2021, 1, 1))
    store(make_site(site_dir="other"), "css/Main.css")
    for path in (
        f"/museum/Contents/{news.pk}/{content.pk}.html",
        f"/museum/contents/{news.pk}//{content.pk}.html",
        f"/museum/Channels/{off.pk}.html",
        f"/museum/Channels/{gone.pk}.html",
        "/museum/css/main.css",
        "/museum/CSS/none.css",
        "/museum/.HIDDEN.css",
    ):
        assert location(client, path) is None, path


@pytest.mark.parametrize("path", [
    "//evil.example/index.html", "//evil.example", "/museum//evil.example/x.html", "/museum///evil.example", "//",
    "/museum/\\evil.example/x.html", "///museum//index.html", "//MUSEUM/index.html", "/museum//",
])  # fmt: skip
@pytest.mark.parametrize("is_root", [False, True])
def test_a_redirect_stays_on_the_host(client, site, path, is_root):
    if is_root:
        make_site(site_dir="", is_root=True)
    while path is not None:
        answer = client.generic("GET", "/", PATH_INFO=path)
        path = answer.headers.get("Location")
        assert path is None or (path[0] == "/" and path[1:2] not in {"/", "\\"})


def test_the_root_site(client):
    root = make_site(site_dir="", is_root=True)
    store(root, "Css/main.css")
    assert location(client, "/css/MAIN.css") == "/Css/main.css"
    assert location(client, "//Css/main.css") == "/Css/main.css"
    assert location(client, "/INDEX.html") == "/index.html"


def test_a_site_on_a_host_of_its_own(client, settings):
    site = make_site(
        site_dir="museum", settings={"isSeparatedWeb": True, "separatedWebUrl": "https://museum.example.org"}
    )
    settings.CMS_SITE_HOSTS = {"museum.example.org": "museum"}
    settings.ALLOWED_HOSTS = ["museum.example.org"]
    store(site, "css/Main.css")
    host = {"HTTP_HOST": "museum.example.org"}
    assert location(client, "/CSS/main.css", **host) == "/css/Main.css"
    assert location(client, "/Index.html", **host) == "/index.html"
    assert location(client, "//css/Main.css", **host) == "/css/Main.css"


def test_files_of_a_site_without_templates(client):
    site = SiteFactory(site_dir="museum")
    store(site, "upload/images/A b.png")
    for path in ("/museum/Upload/images/a b.PNG", "/MUSEUM/upload//images/A b.png", "//museum/upload/images/A b.png"):
        assert location(client, path) == "/museum/upload/images/A%20b.png"
    assert location(client, "/museum/upload/images/none.png") is None
    assert status(client, "/museum/upload/images/A b.png") == 200


def test_a_former_address_is_found_with_slashes_too_many(client, site):
    news = ChannelFactory(site=site)
    content = ContentFactory(channel=news, is_checked=True)
    path = f"/museum/contents/{news.pk + 1000}//{content.pk}.html"
    assert location(client, path) == f"/museum/contents/{news.pk}/{content.pk}.html"


# ---- what a miss costs


@pytest.fixture
def listed(monkeypatch):
    """The folders that have been listed."""
    folders, names_in = [], WholeFiles.names_in

    def noted(self, folder):
        folders.append(folder)
        return names_in(self, folder)

    monkeypatch.setattr(WholeFiles, "names_in", noted)
    return folders


def test_a_folder_is_listed_once_until_it_changes(site, listed):
    top, css = f"sites/{site.pk}", f"sites/{site.pk}/css"
    store(site, "css/Main.css")
    for folder in (top, css):
        os.utime(default_storage.path(folder), (1, 1))
    for _ in range(3):
        assert spelling_of(f"{site.pk}/CSS/main.css") == f"{site.pk}/css/Main.css"
        assert spelling_of(f"{site.pk}/none/main.css") is None
        assert spelling_of(f"{site.pk}/css/none.css") is None
    assert listed == [top, css]
    store(site, "css/Other.css")
    assert spelling_of(f"{site.pk}/css/other.css") == f"{site.pk}/css/Other.css"
    assert listed == [top, css, css]


def test_hits_look_for_no_other_spelling(client, site, listed):
    store(site, "css/main.css")
    for path in ("/museum/index.html", "/museum/css/main.css", "/museum/"):
        assert status(client, path) == 200
    assert not listed
    client.get("/museum/css/none.css")
    assert listed
