"""`search`: the contents that a visitor looks for."""

from datetime import datetime, timedelta

import pytest

from contents.models import Content
from pages.engine.elements.search import highlight
from pages.models import TemplateKind
from sites.models import Site
from tests.factories import ContentFactory, SiteFactory
from tests.pages.showing import Museum
from tests.pages.sites import make_template
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def museum():
    return Museum()


SEARCH = (
    '<stl:search isHighlight="true"><stl:yes><stl:pageContents pageNum="1">{content.title} </stl:pageContents>'
    '<stl:pageItem type="nextPage" text="next"></stl:pageItem></stl:yes>'
    "<stl:no>nothing for {request.word}</stl:no></stl:search>"
)
LISTED = "<stl:pageContents>{content.title} </stl:pageContents>"


def test_a_search_shows_what_the_query_asks_for(museum):
    shown = museum.show(SEARCH, kind=TemplateKind.FILE, query={"word": "ir"})
    marked = "{}<span style='color:#cc0000'>ir</span>{} "
    url = f"/museum/channels/{museum.home.pk}.html?word=ir&amp;page=2"
    assert shown == marked.format("Th", "d") + f'<a href="{url}">next</a>'
    second = museum.show(SEARCH, kind=TemplateKind.FILE, query={"word": "ir", "page": "2"})
    assert second == marked.format("F", "st") + "next"


def test_a_search_without_a_hit_escapes_what_the_visitor_wrote(museum):
    shown = museum.show(SEARCH, kind=TemplateKind.FILE, query={"word": "<script>alert(1)</script>"})
    assert shown == "nothing for &lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.mark.parametrize("name", ["where", "order", "isChecked", "addUserName", "scope", "totalNum"])
def test_a_visitor_cannot_change_the_list_itself(museum, name):
    ContentFactory(channel=museum.news, title="First pending", is_checked=False)
    shown = museum.show(SEARCH, kind=TemplateKind.FILE, query={"word": "First", name: "0"})
    assert "First" in shown and "pending" not in shown


def test_a_search_looks_where_its_template_or_every_page_shows_something(museum):
    Content.objects.update(add_user_name="captain")
    search = '<stl:search type="title"><stl:pageContents pageNum="9">x</stl:pageContents></stl:search>'
    for name in ("addUserName", "settingsXml", "content", "lastEditUserName"):
        assert museum.show(search, query={"word": "captain", "type": name}) == ""
    assert museum.show(search.replace('"title"', '"addUserName"'), query={"word": "captain"}) == "xxxxx"


def test_a_search_in_an_include_has_pages_of_its_own(museum):
    search = SEARCH.replace(' isHighlight="true"', "")
    assert museum.show('<stl:include file="include/s.html"/>', s=search, query={"word": "Report"}) == "Report next"


def test_the_size_of_a_page_may_be_that_of_the_search(museum):
    text = '<stl:search pageNum="2"><stl:pageContents>{content.title} </stl:pageContents></stl:search>'
    assert museum.show(text, query={"page": "2"}) == "Third Second "


@pytest.mark.parametrize(("attributes", "query", "found"), [
    ("isDefaultDisplay='false'", {}, "none"),
    ("isDefaultDisplay='false'", {"word": " "}, "none"),
    ("isDefaultDisplay='false'", {"isDefaultDisplay": "true"}, "none"),
    ("isDefaultDisplay='false'", {"word": "First"}, "First "),
    ("isDefaultDisplay='true'", {}, "Report Fourth Third Second First "),
    ("isNoDup='true'", {"word": "i"}, "Third First "),
])  # fmt: skip
def test_a_search_without_conditions_and_without_equal_titles(museum, attributes, query, found):
    if "isNoDup" in attributes:
        ContentFactory(channel=museum.news, title="First", is_checked=True, taxis=9)
    text = f"<stl:search {attributes}><stl:yes>{LISTED}</stl:yes><stl:no>none</stl:no></stl:search>"
    assert museum.show(text, query=query) == found


def test_a_word_is_not_marked_in_tags_scripts_and_references():
    text = '<i title="cat">Cat</i><script>"cat"</script>&cat; &amp; cat'
    marked = "<span style='color:#cc0000'>{}</span>"
    expected = f'<i title="cat">{marked.format("Cat")}</i><script>"cat"</script>&cat; &amp; {marked.format("cat")}'
    assert highlight(text, "cat") == expected


# Attributes of the search, the query, and the contents found.
NARROWED = [
    ("", {"channelIds": "{reports}"}, "Report "),
    ('channelIds="{about}, {reports}"', {}, "Report "),
    ('channelIds="{about}"', {"channelids": "{news}"}, "Fourth Third Second First Report "),
    ("", {"channelIds": "{about},x,-1," + "9" * 5_000}, ""),
    ("", {"dateFrom": "2024-03-02"}, "Fourth Third Second Report "),
    ("", {"dateFrom": "2024-03-02", "dateTo": "2024-03-02"}, "Second "),
    ("", {"dateTo": "2024-03-01"}, "First "),
    ('dateAttribute="lastEditDate"', {"dateFrom": "2025-01-01", "dateTo": "2025-12-31"}, "First "),
    ('since="3d"', {}, "Fourth Report "),
    ("", {"since": "9" * 9 + "y"}, "Fourth Third Second First Report "),
    ("", {"since": "nonsense", "dateFrom": "2024-02-31x"}, "Fourth Third Second First Report "),
]


@pytest.mark.parametrize(("attributes", "query", "found"), NARROWED)
def test_a_search_is_narrowed_by_channels_and_dates(museum, attributes, query, found):
    for day, content in enumerate(museum.contents[:3], 1):
        Content.objects.filter(pk=content.pk).update(add_date=datetime(2024, 3, day, 18))
    Content.objects.filter(pk=museum.contents[0].pk).update(last_edit_date=datetime(2025, 5, 5))
    Content.objects.filter(title__in=["Fourth", "Report"]).update(add_date=datetime.now() - timedelta(days=2))
    ids = {name: str(getattr(museum, name).pk) for name in ("news", "reports", "about")}

    def filled(text):
        for name, pk in ids.items():
            text = text.replace(f"{{{name}}}", pk)
        return text

    shown = museum.show(
        f"<stl:search {filled(attributes)}>{LISTED}</stl:search>", query={k: filled(v) for k, v in query.items()}
    )
    assert sorted(shown.split()) == sorted(found.split())


@pytest.fixture
def castle(museum):
    """Another site with templates, and one without."""
    site = SiteFactory(site_dir="castle", site_name="Castle")
    make_template(museum.site, TemplateKind.INDEX)
    make_template(site, TemplateKind.INDEX)
    for each, title in ((site, "Tower"), (SiteFactory(), "Hidden")):
        ContentFactory(channel=each.channels.get(parent=None), title=title, is_checked=True)
    return site


def test_a_search_in_several_sites_lists_one_after_another(museum, castle):
    Site.objects.filter(pk=castle.pk).update(taxis=-1)
    tower = castle.contents.get()
    listed = '<stl:pageContents pageNum="4">{content.title} {content.navigationUrl} </stl:pageContents>'
    text = f'<stl:search isAllSites="true">{listed}<stl:pageItem type="totalNum"></stl:pageItem></stl:search>'
    *first, title, url, total = museum.show(text, query={"page": "2"}).split()
    assert len(first) == 2  # the last content of the museum, and its address
    assert (title, url, total) == ("Tower", f"/castle/contents/{castle.pk}/{tower.pk}.html", "6")


def test_only_the_template_chooses_sites(museum, castle):
    for attributes in ('siteDir="castle"', 'siteName="castle"', f'siteIds="{castle.pk}"'):
        assert museum.show(f"<stl:search {attributes}>{LISTED}</stl:search>") == "Tower "
    for name, value in (("siteDir", "castle"), ("siteIds", str(castle.pk)), ("isAllSites", "true")):
        assert "Tower" not in museum.show(f"<stl:search>{LISTED}</stl:search>", query={name: value})
