"""`_fragments/…`: parts of a page that depend on the query, for pages in files."""

import re

import pytest

from pages.engine.asking import AskingTemplate, find_asking_includes
from pages.models import Template, TemplateKind
from tests.factories import ContentFactory
from tests.pages.exporting import Exported, make_museum
from tests.pages.sites import make_template

pytestmark = pytest.mark.django_db
SEARCH = "/utils/search.html"


@pytest.fixture
def museum():
    return make_museum()


@pytest.fixture
def exported(museum, tmp_path):
    return Exported(tmp_path / "museum", museum.site)


def marks(text):
    return re.findall(r"<!--cms-fragment (\d+)-->(.*?)<!--/cms-fragment-->", text, re.DOTALL)


def search_template(museum):
    return Template.objects.get(site=museum.site, name="search")


def ask(client, museum, position, query="", *, path=SEARCH, template=None):
    template = search_template(museum) if template is None else template
    return client.get(f"/museum/_fragments/{template.pk}/{position}{path}{query}")


def test_a_page_in_a_file_names_its_fragments(client, museum, exported):
    exported.run("--service", "https://cms.example.org")
    page = exported.files[SEARCH].decode()
    (heading, nothing), (search, found) = marks(page)
    # Without a query, as the page itself.
    assert (nothing, ask(client, museum, heading).content.decode()) == ("", "")
    assert found == ask(client, museum, search).content.decode()
    template = search_template(museum).pk
    assert (
        '<script src="/museum/_cms/fragments.js" data-fragments="https://cms.example.org/museum/_fragments/'
        f'{template}/" data-page="utils/search.html" defer></script></body>'
    ) in page
    assert len(exported.files["/_cms/fragments.js"]) < 2048
    assert b"cms-fragment" not in exported.files["/index.html"]
    exported.run()
    assert b"cms-fragment" not in exported.files[SEARCH] and "/_cms/fragments.js" not in exported.files


def test_a_fragment_is_what_the_served_page_has(client, museum, exported):
    exported.run("--service", "https://cms.example.org")
    (heading, _), (search, _) = marks(exported.files[SEARCH].decode())
    for query in ("?word=Second", "?word=ir&page=2", "?word=<script>alert(1)</script>"):
        page = client.get(f"/museum{SEARCH}{query}").content.decode()
        for position in (heading, search):
            answer = ask(client, museum, position, query)
            assert answer.status_code == 200
            assert answer.content.decode() in page and answer.content
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    assert answer.headers["Cache-Control"] == "no-store" and not answer.cookies
    assert "<script" not in ask(client, museum, heading, query).content.decode()


def test_the_page_of_a_channel_and_a_content(client, museum, exported):
    text = "{content.title}<stl:dynamic>{request.a}-{content.title}{channel.channelName}</stl:dynamic>"
    Template.objects.filter(kind__in=[TemplateKind.CHANNEL, TemplateKind.CONTENT]).update(text=text)
    exported.run("--service", "https://cms.example.org")
    content = museum.contents[0]
    for path, shown in (
        (f"/channels/{museum.news.pk}.html", b"x-News"),
        (f"/contents/{museum.news.pk}/{content.pk}.html", b"x-FirstNews"),
    ):
        ((position, _),) = marks(exported.files[path].decode())
        kind = TemplateKind.CONTENT if "contents" in path else TemplateKind.CHANNEL
        template = Template.objects.get(site=museum.site, kind=kind)
        assert ask(client, museum, position, "?a=x", path=path, template=template).content == shown


def test_other_parts_pages_and_templates_are_404(client, museum, exported):
    exported.run("--service", "https://cms.example.org")
    (heading, _), _ = marks(exported.files[SEARCH].decode())
    index = Template.objects.get(site=museum.site, kind=TemplateKind.INDEX)
    hidden = ContentFactory(channel=museum.about, is_checked=False)
    for answer in (
        ask(client, museum, 0),
        ask(client, museum, "9" * 9),
        ask(client, museum, "9" * 400),
        ask(client, museum, "-1"),
        ask(client, museum, heading, template=index),
        ask(client, museum, heading, path="/index.html"),
        ask(client, museum, heading, path="/../utils/search.html"),
        ask(client, museum, heading, path=f"/contents/{museum.about.pk}/{hidden.pk}.html"),
    ):
        assert answer.status_code == 404
    assert ask(client, museum, heading, "?word=%00").status_code == 400
    assert client.post(f"/museum/_fragments/{index.pk}/{heading}{SEARCH}").status_code == 405


@pytest.mark.parametrize("text,positions", [
    ("<p>{request.a}</p>", [3]),
    ("<stl:contents tags='{request.a}'></stl:contents>", [0]),
    ("<stl:channels><stl:contents tags='{request.a}'></stl:contents></stl:channels>", [0]),
    ("<b><stl:if type='x'><stl:yes>{request.a}</stl:yes></stl:if></b>", [3]),
    ("<stl:include file='/include/A.html'></stl:include>", [0]),
    ("<stl:include file='/include/b.html'></stl:include>", [0]),
    ("{stl:value type='{request.a}'}", [17]),  # only the inner one is an entity
    # Where HTML has no comments, the part stays as it is without a query.
    ("<title>{request.a}</title><textarea>{request.a}</textarea>", []),
    ("<input value='{request.a}'><script>{request.a}</script><style>{request.a}</style>", []),
    ("<title>x</title>{request.a}", [16]),
    ("<stl:include file='/include/c.html'></stl:include><stl:contents></stl:contents>{content.title}", []),
])  # fmt: skip
def test_parts_that_depend_on_the_query(text, positions):
    includes = find_asking_includes({
        "include/a.html": "<stl:include file='/include/B.html'></stl:include>",
        "include/b.html": "{request.b}",
        "include/c.html": "<stl:include file='/include/c.html'></stl:include>",
    })  # fmt: skip
    assert sorted(AskingTemplate(text, includes).positions) == positions


def test_a_list_with_pages_shows_those_of_the_query(client, museum, exported):
    text = "<stl:pageContents tags='{request.tag}' channelIndex='news' pageNum='1'><stl:a></stl:a></stl:pageContents>"
    make_template(museum.site, TemplateKind.FILE, name="tags", page_path="utils/tags.html", text=text)
    exported.run("--service", "https://cms.example.org")
    ((position, _),) = marks(exported.files["/utils/tags.html"].decode())
    template = Template.objects.get(site=museum.site, name="tags")
    answer = ask(client, museum, position, "?tag=crane", path="/utils/tags.html", template=template)
    assert b"Fourth" in answer.content and b"First" not in answer.content
