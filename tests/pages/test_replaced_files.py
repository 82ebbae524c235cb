"""Pages show replaced files at once: the addresses of these files, and of no others, have the time in their query."""

import io
import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.urls import reverse

from contents.models import ContentBody
from core.lib import clock
from media_library.models import MediaFile
from pages.models import TemplateKind
from tests.factories import AdministratorFactory
from tests.media_library.uploads import picture, replace, uploaded
from tests.pages.showing import Museum
from tests.pages.sites import make_template

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
MARK = r"v=\d{12}"


@pytest.fixture
def museum():
    return Museum()


@pytest.fixture
def file(api, museum):
    return uploaded(api, museum.site, "Harbour & sea.jpg")


@pytest.fixture
def replaced(museum, file):
    MediaFile.objects.filter(pk=file.pk).update(path="upload/a b.jpg", replaced_at=clock.now())
    return MediaFile.objects.get()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<img src="/museum/upload/a b.jpg">', '<img src="/museum/upload/a b.jpg?{v}">'),
        ("<a href='/museum/upload/a%20b.jpg#x'>x</a>", "<a href='/museum/upload/a%20b.jpg?{v}#x'>x</a>"),
        ('<img src="/upload/a%20b.jpg?w=640">', '<img src="/upload/a%20b.jpg?{v}&amp;w=640">'),
        (
            '<img srcset="upload/a%20b.jpg 1x, /museum/upload/a%20b_middle.jpg 2x">',
            '<img srcset="upload/a%20b.jpg?{v} 1x, /museum/upload/a%20b_middle.jpg?{v} 2x">',
        ),
        ("<p style='background: url(/upload/a%20b.jpg)'>", "<p style='background: url(/upload/a%20b.jpg?{v})'>"),
        ('"/media/sites/1/upload/a%20b.jpg"', '"/media/sites/1/upload/a%20b.jpg?{v}"'),
        ('"/upload/a%20b.jpg.txt"', '"/upload/a%20b.jpg.txt"'),
        ('"/myupload/a%20b.jpg"', '"/myupload/a%20b.jpg"'),
        ('"/upload/other.jpg"', '"/upload/other.jpg"'),
        ("<p>/upload/a%20b.jpg</p>", "<p>/upload/a%20b.jpg</p>"),
    ],
)
def test_addresses_of_replaced_files_are_marked_in_any_spelling(museum, replaced, text, shown):
    html = museum.show(text)
    mark = f"v={replaced.replaced_at:%y%m%d%H%M%S}"
    assert html == shown.replace("{v}", mark)


def test_a_kept_page_shows_the_new_bytes_at_once(api, client, museum, file):
    make_template(museum.site, TemplateKind.INDEX, is_default=True, text="<img src='@/{x}'>", page_path="index.html")
    museum.site.templates.update(text=f"<stl:image src='{file.address}'></stl:image>")
    before = client.get("/museum/").content.decode()
    assert "?" not in before and client.get("/museum/").content.decode() == before
    marks = set()
    for color in ((0, 0, 200), (0, 200, 0)):  # twice within a second, too
        replace(api, file, "a.jpg", picture((70, 50), color))
        page = client.get("/museum/").content.decode()
        marks |= set(re.findall(MARK, page))
        assert re.sub(rf"\?{MARK}", "", page) == before
    assert len(marks) == 2


def test_after_a_year_no_cache_has_the_former_bytes(museum, replaced):
    MediaFile.objects.update(replaced_at=clock.now() - timedelta(days=367))
    assert "v=" not in museum.show('<img src="/upload/a%20b.jpg">')


def test_files_that_others_have_changed_are_marked_after_sync_media(client, museum):
    name = f"sites/{museum.site.pk}/upload/a.jpg"
    text = "<img src='{stl.siteUrl}/upload/a.jpg'>"
    make_template(museum.site, TemplateKind.INDEX, is_default=True, text=text, page_path="index.html")
    pages = []
    for data in (b"first", b"second"):
        default_storage.delete(name)
        default_storage.save(name, ContentFile(data))
        call_command("sync_media", "--quiet", str(museum.site.pk), stdout=io.StringIO())
        pages.append(client.get("/museum/").content.decode())
    assert pages[0] == "<img src='/museum/upload/a.jpg'>"
    assert re.fullmatch(rf"<img src='/museum/upload/a\.jpg\?{MARK}'>", pages[1])


def test_parts_of_pages_that_the_service_renders_are_marked(client, museum, replaced):
    text = "<p>{request.word}<img src='{stl.siteUrl}/upload/a%20b.jpg'></p>"
    make_template(museum.site, TemplateKind.INCLUDE, name="include/part.html", text=text)
    whole = "<stl:include file='/include/part.html'></stl:include>"
    template = make_template(museum.site, TemplateKind.FILE, name="search", page_path="search.html", text=whole)
    part = client.get(f"/museum/_fragments/{template.pk}/0/search.html?word=ship").content.decode()
    mark = f"v={replaced.replaced_at:%y%m%d%H%M%S}"
    assert part == f"<p>ship<img src='/museum/upload/a%20b.jpg?{mark}'></p>"


@pytest.mark.parametrize("has_page", [False, True])
def test_previews_in_the_admin_are_marked(client, museum, replaced, has_page):
    client.force_login(AdministratorFactory())
    ContentBody.objects.filter(content=museum.report).update(text='<img src="@/upload/a%20b.jpg">')
    if has_page:
        make_template(
            museum.site, TemplateKind.CONTENT, is_default=True, text="<stl:content type='content'></stl:content>"
        )
    mark = f"v={replaced.replaced_at:%y%m%d%H%M%S}"
    for view in ("body", "page"):
        answer = client.get(reverse(f"admin:contents_content_{view}", args=[museum.report.pk]), follow=True)
        assert f"/upload/a%20b.jpg?{mark}" in answer.content.decode(), view
