"""`manage.py check_templates`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pages.engine.parsing import MAX_TAGS
from pages.engine.template import MAX_CHARACTERS
from pages.models import Template, TemplateKind
from sites.models import FieldDefinition
from tests.factories import SiteFactory
from tests.pages.sites import store

pytestmark = pytest.mark.django_db


def check(*arguments):
    """Exit status and lines of the command."""
    out, status = StringIO(), 0
    try:
        call_command("check_templates", *arguments, stdout=out)
    except SystemExit as error:
        status = error.code
    return status, out.getvalue().splitlines()


def template(site, name, text, kind=TemplateKind.CHANNEL):
    return Template.objects.create(site=site, kind=kind, name=name, text=text)


def test_each_error_is_named_with_its_place():
    site = SiteFactory()
    template(site, "T", "<p>\n  <stl:if>\n<stl:include file='/include/No.html'></stl:include> <stl:wrong></stl:wrong>")
    template(
        site,
        "include/a.html",
        "<stl:printer></stl:printer><stl:if><stl:include file='Include/A.html'/></stl:if>",
        TemplateKind.INCLUDE,
    )
    status, lines = check(str(site.pk))
    assert status == 1
    assert lines == [
        f"site {site.pk}, ChannelTemplate T, 2:3: <stl:if> has no end tag.",
        f"site {site.pk}, ChannelTemplate T, 3:1: The include include/No.html is missing.",
        f"site {site.pk}, ChannelTemplate T, 3:53: <stl:wrong> is not a known element; it stays in the page as it is.",
        f"site {site.pk}, IncludeFile include/a.html, 1:1: <stl:printer> is not supported and shows nothing.",
        "Errors: 4.",
    ]


@pytest.mark.parametrize("kind", [TemplateKind.CHANNEL, TemplateKind.INCLUDE])
def test_a_template_that_is_too_long_is_an_error_where_its_page_ends(kind):
    site = SiteFactory()
    template(site, "short", "x" * MAX_CHARACTERS, kind)
    template(site, "long", "x\n" * (MAX_CHARACTERS // 2) + "y", kind)
    line = MAX_CHARACTERS // 2 + 1
    told = f"The template has more than {MAX_CHARACTERS} characters; the page ends here."
    assert check(str(site.pk)) == (1, [f"site {site.pk}, {kind} long, {line}:1: {told}", "Errors: 1."])


def test_a_template_with_too_many_tags_is_an_error_where_they_become_text():
    site = SiteFactory()
    template(site, "full", "<stl:a></stl:a>" * (MAX_TAGS // 2))
    template(site, "over", "{stl.siteName}" * MAX_TAGS + "\n{content.title}")
    told = f"The template has more than {MAX_TAGS} tags; from here on they stay text."
    assert check(str(site.pk)) == (1, [f"site {site.pk}, ChannelTemplate over, 2:1: {told}", "Errors: 1."])


@pytest.mark.parametrize(
    "text, told",
    [
        ("<stl:contents ChanelIndex='a'></stl:contents>", "ChanelIndex. Did you mean channelIndex?"),
        ("<stl:channels tide='1'></stl:channels>", "tide."),  # only contents have filters
        ("{stl:a chanelName='b'}", "chanelName. Did you mean channelName?"),
        ("<stl:a titel='b'></stl:a>", "titel. Did you mean title?"),
        ("<stl:if data-a='b'></stl:if>", "data-a."),
        ("<stl:contents><stl:itemTemplate typ='item'/></stl:contents>", "typ. Did you mean type?"),
    ],
)
def test_an_unknown_attribute(text, told):
    site = SiteFactory()
    template(site, "T", text)
    status, lines = check(str(site.pk))
    assert status == 1 and len(lines) == 2
    assert lines[0].endswith(f" has no attribute {told}")


def test_the_place_of_an_unknown_attribute():
    site = SiteFactory()
    template(site, "T", 'é<stl:if\n  type="value" valu="type"></stl:if>')
    assert check(str(site.pk))[1][0] == (
        f"site {site.pk}, ChannelTemplate T, 2:16: <stl:if> has no attribute valu. Did you mean value?"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<stl:contents TITLE='a' ship='b' isDynamic='true'></stl:contents>",  # filters
        "<stl:a class='a' data-b='c' onclick='d' @click='e'></stl:a>",  # HTML
        "<stl:include file='a.html' anything='b'/>",  # a parameter
        "<stl:zoom anything='a'></stl:zoom>",  # told as not supported
    ],
)
def test_known_attributes(text):
    site = SiteFactory()
    FieldDefinition.objects.create(site=site, owner="content", name="Ship", folded_name="ship")
    template(site, "a.html", "", TemplateKind.INCLUDE)
    template(site, "T", text)
    assert "has no attribute" not in "".join(check(str(site.pk))[1])


@pytest.mark.parametrize("text", [
    "SELECT Id, Title FROM {stl.tableForContent} WHERE SiteId = {stl.siteId} AND AddDate > '{content.addDate}'",
    "SELECT * FROM siteserver_Channel WHERE Id = '{channel.channelId}' AND ChannelName = '{request.name}'",
])  # fmt: skip
def test_statements_without_errors(text):
    site = SiteFactory()
    template(site, "T", f'<stl:sqlContents queryString="{text}">{{sql.id}}</stl:sqlContents>')
    template(site, "U", f"<stl:pageSqlContents><stl:queryString>{text}</stl:queryString></stl:pageSqlContents>")
    assert check(str(site.pk)) == (0, ["The templates have no errors."])


@pytest.mark.parametrize("text, told", [
    ("SELECT Id FRM siteserver_Site", ""),
    ("SELECT None FROM siteserver_Content", "Column None is not in siteserver_Content"),
    ("SELECT Id FROM {stl.siteName}", ""),
    ("SELECT Password FROM siteserver_Administrator", "Table siteserver_Administrator is not open to statements."),
    (
        "SELECT NodeID FROM siteserver_Node WHERE PublishmentSystemID = {stl.siteId}",
        "Table siteserver_Node is not open to statements. siteserver_Node is now siteserver_Channel; NodeID is now Id "
        "of a channel, and ChannelId of a content; PublishmentSystemID is now Id of a site, else SiteId.",
    ),
])  # fmt: skip
@pytest.mark.parametrize(
    "form", ['<stl:sqlContents queryString="{}">', "<stl:sqlContents><stl:queryString>{}</stl:queryString>"]
)
def test_a_statement_that_cannot_run(form, text, told):
    site = SiteFactory()
    template(site, "T", f"<p>{form.format(text)}x</stl:sqlContents>")
    status, lines = check(str(site.pk))
    assert (status, len(lines)) == (1, 2)
    assert lines[0].startswith(f"site {site.pk}, ChannelTemplate T, 1:4: The statement cannot run: {told}")


def test_includes_that_include_themselves():
    site = SiteFactory()
    for name, text in {
        "a.html": "x<stl:include file='/B.html'></stl:include>",
        "b.html": "<stl:a><stl:include file='@/c.html'></stl:include></stl:a>",
        "c.html": "<stl:include file='none.html'/><stl:include file='a.html'></stl:include>",
        "self.html": "<stl:include file='Self.html'/>",
        # It ends where there are no channels below.
        "tree.html": "<stl:channels><stl:include file='tree.html'></stl:include></stl:channels>",
    }.items():
        template(site, name, text, TemplateKind.INCLUDE)
    template(site, "T", "<stl:include file='a.html'></stl:include><stl:include file='self.html'></stl:include>")
    told = [line.partition(", IncludeFile ")[2] for line in check(str(site.pk))[1] if "itself" in line]
    assert told == [
        "a.html, 1:2: The include a.html includes itself: a.html → B.html → c.html → a.html.",
        "b.html, 1:8: The include b.html includes itself: b.html → c.html → a.html → B.html.",
        "c.html, 1:32: The include c.html includes itself: c.html → a.html → B.html → c.html.",
        "self.html, 1:1: The include self.html includes itself: self.html → Self.html.",
    ]


@pytest.mark.parametrize("link, path, other", [
    ('<script src="{stl.siteUrl}/js/hoverintent.js"></script>', "/js/hoverintent.js", "/js/hoverIntent.js"),
    ("<link href='@/JS//hoverIntent.js?v=1'>", "/JS//hoverIntent.js", "/js/hoverIntent.js"),
    ("<p style='background: url(/Museum/js/hoverintent.js)'>", "/js/hoverintent.js", "/js/hoverIntent.js"),
    ('<form action="{Stl.SiteUrl}/Utils/search.html">', "/Utils/search.html", "/utils/search.html"),
    ('<script src="{stl.siteUrl}/js/hoverIntent.js"></script><a href="@/utils/search.html"><a href="@/utils">', "", ""),
    ('<script src="{stl.siteUrl}/js/none.js"></script>', "", ""),
])  # fmt: skip
def test_links_in_another_letter_case(link, path, other):
    site = SiteFactory(site_dir="museum")
    store(site, "js/hoverIntent.js")
    Template.objects.create(site=site, kind=TemplateKind.FILE, name="search", page_path="utils/search.html")
    Template.objects.create(site=site, kind=TemplateKind.FILE, name="utils", page_path="utils/index.html")
    template(site, "T", link)
    lines = check(str(site.pk))[1][:-1]
    told = [line.partition(": ")[2] for line in lines]
    assert told == ([f"{path} does not exist, but {other} does."] if path else [])


def test_a_site_whose_scripts_use_cookies(settings):
    site = SiteFactory(site_dir="museum")
    store(site, "js/tools.js", b"function read() { return document.cookie }")
    template(site, "T", '<script src="{stl.siteUrl}/JS/tools.js"></script>')
    told = "uses cookies or storage; give the site a host of its own (CMS_SITE_HOSTS), since pages have none here."
    assert check(str(site.pk))[1][1] == f"site {site.pk}: /JS/tools.js {told}"
    template(site, "S", "<script>localStorage.seen = 1</script>")
    assert check(str(site.pk))[1][1] == f"site {site.pk}: S {told}"
    Template.objects.filter(name="T").delete()
    assert check(str(site.pk)) == (0, [f"site {site.pk}: S {told}", "The templates have no errors."])
    settings.CMS_SITE_HOSTS = {"museum.example.org": "Museum"}
    assert check(str(site.pk)) == (0, ["The templates have no errors."])


def test_templates_without_errors_of_all_sites():
    template(SiteFactory(), "T", "<stl:a></stl:a>{content.title}")
    assert check() == (0, ["The templates have no errors."])


def test_a_site_that_does_not_exist():
    with pytest.raises(CommandError, match=r"Site 99 was not found\."):
        check("99")
