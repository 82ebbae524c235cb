"""Pictures of the library get their sizes and renditions if the site wants it; all others stay as they are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from media_library.models import MediaFile
from pages.models import TemplateKind
from pages.pictures import with_sizes
from tests.media_library.uploads import picture, uploaded
from tests.pages.showing import Museum
from tests.pages.sites import make_template

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]
SRC = "/museum/upload/a%20b.jpg"
SET = (
    f'srcset="{SRC}?w=160&amp;format=auto 160w, {SRC}?w=320&amp;format=auto 320w, {SRC}?w=480&amp;format=auto 480w, '
    f'{SRC}?format=auto 500w"'
)
FIRST = f'decoding="async" {SET} sizes="(max-width: 500px) 100vw, 500px"'


@pytest.fixture
def museum():
    return Museum()


@pytest.fixture
def file(museum):
    values = {"kind": "image", "bytes": 1, "width": 500, "height": 400}
    return MediaFile.objects.create(site=museum.site, path="upload/a b.jpg", **values)


def show(museum, html):
    return with_sizes(html, museum.site.pk, museum.site.web_url)


def test_a_picture_gets_sizes_and_renditions_and_the_first_loads_at_once(museum, file):
    shown = show(museum, f'<img src="{SRC}" alt="x>y" />' * 2)
    first = f'<img src="{SRC}" alt="x>y" width="500" height="400" {FIRST} />'
    sizes = 'sizes="auto, (max-width: 500px) 100vw, 500px"'
    assert shown == first + first.replace("decoding", 'loading="lazy" decoding').replace(
        'sizes="(max-width: 500px) 100vw, 500px"', sizes
    )


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ('width="100"', 'height="80" decoding="async"'),
        ('height="80"', 'width="100" decoding="async"'),
        ('width="100%"', 'decoding="async"'),
        ('style="width:50%"', 'decoding="async"'),
        ('width="10" height="10"', 'decoding="async"'),
    ],
)
def test_given_sides_stay(museum, file, given, added):
    assert show(museum, f"<img src='{SRC}' {given}>").startswith(f"<img src='{SRC}' {given} {added} srcset=")


@pytest.mark.parametrize(
    "html",
    [
        f'<img src="{SRC}" srcset="x.jpg 2x">',
        f'<img src="{SRC}?w=640">',
        '<img src="https://elsewhere.example/museum/upload/a%20b.jpg">',
        '<img src="/museum/upload/unknown.jpg">',
        '<img src="/museum/upload/a.gif">',
        "<img>",
        f"<script>x = '<img src=\"{SRC}\">'</script>",
        f'<!-- <img src="{SRC}"> -->',
        f'<textarea><img src="{SRC}"></textarea>',
    ],
)
def test_others_stay_as_they_are(museum, file, html):
    MediaFile.objects.create(site=museum.site, path="upload/a.gif", kind="image", bytes=1, width=500, height=400)
    assert show(museum, html) == html


def test_the_mark_of_a_replaced_file_stays(museum, file):
    shown = show(museum, f'<img src="{SRC}?v=261130094500">')
    assert f"{SRC}?w=160&amp;format=auto&amp;v=261130094500 160w" in shown


def test_all_pictures_of_a_page_cost_one_statement(museum, file):
    with CaptureQueriesContext(connection) as asked:
        show(museum, "".join(f'<img src="{SRC}"><img src="/museum/upload/{number}.jpg">' for number in range(50)))
        show(museum, "<p>no picture</p>")
    assert len(asked) == 1


def test_a_site_chooses_it_and_its_renditions_exist(api, client, museum):
    file = uploaded(api, museum.site, data=picture((500, 400)))
    make_template(
        museum.site,
        TemplateKind.INDEX,
        is_default=True,
        text=f"<stl:image src='{file.address}'></stl:image>",
        page_path="index.html",
    )
    before = client.get("/museum/").content.decode()
    assert "srcset" not in before
    museum.site.settings["isResponsivePictures"] = True
    museum.site.save()
    page = client.get("/museum/").content.decode()
    address = page.partition('srcset="')[2].partition(" ")[0].replace("&amp;", "&")
    answer = client.get(address, headers={"Accept": "image/webp"})
    assert b"WEBP" in b"".join(answer.streaming_content)
    assert answer.headers["Content-Type"] == "image/webp" and address.endswith("?w=160&format=auto")


@pytest.mark.parametrize("piece", ["<!-- ", "<script ", "<img ", '<img "', "<img '\"", '<img a="', "<img" + " " * 50])
def test_a_page_of_tags_that_do_not_end_is_read_once(piece):
    page = piece * (500_000 // len(piece))  # minutes, if each tag were sought to the end
    assert with_sizes(page, 1, "/site") == page
