"""Pages show replaced files at once: the addresses of these files, and of no others, have the time in their query."""

import re
from datetime import timedelta

import pytest

from core.lib import clock
from media_library.models import MediaFile
from pages.models import TemplateKind
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
