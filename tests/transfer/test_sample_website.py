"""The website of the sample site: each of its pages, found by following links as visitors do."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.core.management import call_command

from channels_app.models import Channel
from contents.models import Content
from forms.models import Form
from pages.checking import check_templates
from sites.models import Site
from tests.contents.test_search import follow
from tests.transfer.test_load_sample_site import run
from tests.worlds import world

pytestmark = pytest.mark.django_db
OF_SERVICE = ("/start/",)


@world
def site():
    """The sample site."""
    run()
    return Site.objects.get()


class Markup(HTMLParser):
    """What the tests read of a page."""

    def __init__(self, text):
        super().__init__()
        self.language, self.links, self.pictures = "", [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "html":
            self.language = given["lang"]
        if tag == "img":
            self.pictures.append(given)
        self.links += [given[name] for name in ("href", "src", "poster", "action") if name in given]


def placed(path):
    """The path with ids in the place of index names; `events_content` is a content of the channel `events`."""
    ids = dict(Channel.objects.exclude(index_name="").values_list("index_name", "pk"))
    contents = Content.objects.live().checked().filter(link_url="").order_by("-pk")
    first = dict(contents.values_list("channel__index_name", "pk"))
    return path.format(**ids, **{f"{name}_content": pk for name, pk in first.items()})


def shown(client, path, **query):
    response = client.get(placed(path), query)
    assert response.status_code == 200
    return response.content.decode()


def titles(text):
    return re.findall(r'<h[23]><a href="[^"]*"[^>]*>([^<]*)', text)


def crawl(client):
    """Yield address and text of each page that links lead to, from `/`; every link has to lead somewhere."""
    waiting, seen = ["/"], {"/"}
    while waiting:
        address = waiting.pop()
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        if address.startswith(OF_SERVICE) or not response["Content-Type"].startswith("text/html"):
            b"".join(response)
            continue
        text = response.content.decode()
        yield address, text
        base = response.redirect_chain[-1][0] if response.redirect_chain else address
        for link in Markup(text).links:
            assert link, address
            parts = urlsplit(urljoin(base, link))
            onward = parts._replace(fragment="").geturl()
            if not parts.scheme and onward not in seen:
                seen.add(onward)
                waiting.append(onward)
            assert parts.scheme in {"", "https", "mailto"}, (address, link)


@pytest.mark.large
def test_no_link_is_broken_and_every_page_is_reached(client, site):
    pages = dict(crawl(client))
    for address, text in pages.items():
        assert not re.search(r"stl:|\{(?:stl|content|channel|request)\W", text), address
        markup = Markup(text)
        for picture in markup.pictures:  # those with a text are in bodies, where the style sheet gives them their shape
            assert picture["alt"] or {"width", "height"} <= set(picture), address
        assert text.count("<h1>") == 1, address
        assert re.search(r"<title>[^<]+</title>", text), address
    sitemap = b"".join(client.get("/sitemap.xml").streaming_content).decode()
    listed = {urlsplit(unescape(each)).path for each in re.findall("<loc>(.*?)</loc>", sitemap)}
    assert len(listed) > 60
    assert listed - set(pages) - {"/index.html", "/zh/index.html"} <= redirecting(client, listed)


def redirecting(client, paths):
    return {path for path in paths if client.get(path).status_code == 302}


def test_its_templates_have_no_problems(site):
    assert list(check_templates(site.pk)) == []
    call_command("check_templates")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/", "en"),
        ("/channels/{news}.html", "en"),
        ("/contents/{events}/{events_content}.html", "en"),
        ("/pictures.html", "en"),
        ("/search.html", "en"),
        ("/tags.html", "en"),
        ("/contact.html", "en"),
        ("/tours.html", "en"),
        ("/zh/", "zh-Hans"),
        ("/channels/{zhencang}.html", "zh-Hans"),
        ("/guanyu/index.html", "zh-Hans"),
        ("/contents/{zhencang}/{zhencang_content}.html", "zh-Hans"),
        ("/zh/search.html", "zh-Hans"),
        ("/zh/tags.html", "zh-Hans"),
        ("/zh/contact.html", "zh-Hans"),
        ("/zh/tours.html", "zh-Hans"),
    ],
)
def test_a_page_has_the_language_of_its_section(client, site, path, language):
    text = shown(client, path)
    assert Markup(text).language == language
    main, other = ("/search.html", "/zh/") if language == "en" else ("/zh/search.html", "/")
    assert f'<li><a href="{main}">' in text
    assert re.search(rf'<a href="{other}" lang="(?:en|zh-Hans)" hreflang="(?:en|zh-Hans)">', text)


def test_texts_in_the_other_language_are_marked(client, site):
    found = shown(client, "/search.html", word="潮信")
    assert '<article class="result" lang="zh-Hans">' in found
    assert '<article class="result" lang="en">' in shown(client, "/zh/search.html", word="tide")
    assert '<div class="strip" lang="zh-Hans">' in shown(client, "/")


def test_pages_of_a_list_show_each_content_once(client, site):
    pages = [
        titles(shown(client, path))
        for path in ("/channels/{馆藏}.html", "/channels/{馆藏}_2.html", "/channels/{馆藏}_3.html")
    ]
    together = [title for page in pages for title in page]
    assert len(together) == len(set(together)) > 10
    second = placed("/channels/{馆藏}_2.html")
    assert f'<a rel="next" href="{second}">' in shown(client, "/channels/{馆藏}.html")
    assert f'<a rel="prev" href="{second}">' in shown(client, "/channels/{馆藏}_3.html")
    assert client.get(placed("/channels/{馆藏}_4.html")).status_code == 404


def test_a_search_has_results_in_pages(client, site):
    first, second = (shown(client, "/search.html", word="ferry", page=number) for number in (1, 2))
    total = int(re.search(r'role="status">(\d+) results', first)[1])
    assert len(titles(first)) == 8
    assert len({*titles(first), *titles(second)}) == total
    assert 'value="ferry"' in first and "/search.html?word=ferry&amp;page=2" in first


def test_the_search_box_suggests_titles(client, site):
    follow()
    (address,) = re.findall(r'data-suggestions="([^"]*)"', shown(client, "/zh/search.html"))
    for typed in ("ferr", "潮信"):
        found = client.get(address, {"q": typed}).json()["value"]
        assert found and all(typed in each["title"].lower() for each in found)
        assert client.get(found[0]["navigationUrl"]).status_code == 200
    best = titles(shown(client, "/search.html", word='"潮信"'))[0]  # up to the mark
    assert best and found[0]["title"].startswith(best)


def test_a_search_without_results_says_so(client, site):
    text = shown(client, "/zh/search.html", word="鲸鱼")
    assert "没有找到" in text and titles(text) == []
    assert "Nothing was found" in shown(client, "/search.html", word="whale")


def test_a_search_for_nothing_shows_the_form_alone(client, site):
    text = shown(client, "/search.html", word="")
    assert titles(text) == [] and "Nothing was found" not in text
    assert '<label for="word">' in text


def test_a_search_word_cannot_leave_its_place(client, site):
    assert "<script>" not in shown(client, "/search.html", word='"><script>alert(1)</script>')


def test_a_tag_lists_its_contents(client, site):
    text = shown(client, "/zh/tags.html", tagName="海图")
    expected = Content.objects.live().checked().filter(tags__regex="(^|,)海图(,|$)").values_list("title", flat=True)
    assert set(titles(text)) == set(expected) and "<h1>海图</h1>" in text
    assert titles(shown(client, "/tags.html")) == []


@pytest.mark.parametrize("path", ["/contact.html", "/zh/contact.html", "/tours.html", "/zh/tours.html"])
def test_visitors_send_its_forms(client, site, path):
    text = shown(client, path)
    (form,) = re.findall(r'<form class="cms-form".*?</form>', text, re.DOTALL)
    labels, names = re.findall(r'<label for="(\w+)">', form), re.findall(r'<(?:input|textarea)[^>]* name="(\w+)"', form)
    (action,) = re.findall(r'data-cms-form action="([^"]*)"', form)
    stored = Form.objects.get(pk=int(action.rpartition("/")[2]))
    assert labels == [name for name in names if not name.startswith("_")] == [each.key for each in stored.fields.all()]
    values = {"name": "Ann", "email": "ann@example.org", "day": "2027-03-01", "people": "12", "message": "Hello"}
    answer = client.post(action, {name: values.get(name, "") for name in labels} | {"_page": path})
    assert answer.status_code == 303 and f'href="{path}"' in client.get(answer.url).content.decode()
    (entry,) = stored.entries.all()
    assert set(entry.values.values()) == {values[name] for name in labels if name in values} and entry.page == path
    refused = client.post(action, {"name": "Ann", "people": "31", "_page": path})
    assert refused.status_code == 400 and stored.entries.count() == 1


def test_an_unknown_address_gets_the_page_for_it_in_both_languages(client, site):
    response = client.get("/nothing.html")
    assert response.status_code == 404
    assert "gone out with the tide" in response.content.decode()
    assert '<div class="heading" lang="zh-Hans">' in response.content.decode()
