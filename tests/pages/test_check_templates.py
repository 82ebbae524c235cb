"""`manage.py check_templates`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pages.models import Template, TemplateKind
from sites.models import FieldDefinition
from tests.factories import SiteFactory

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
        "<stl:comments></stl:comments><stl:include file='Include/A.html'/>",
        TemplateKind.INCLUDE,
    )
    status, lines = check(str(site.pk))
    assert status == 1
    assert lines == [
        f"site {site.pk}, ChannelTemplate T, 2:3: <stl:if> has no end tag.",
        f"site {site.pk}, ChannelTemplate T, 3:1: The include include/No.html is missing.",
        f"site {site.pk}, ChannelTemplate T, 3:53: <stl:wrong> is not a known element; it stays in the page as it is.",
        f"site {site.pk}, IncludeFile include/a.html, 1:1: <stl:comments> is not supported and shows nothing.",
        "Errors: 4.",
    ]


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


def test_templates_without_errors_of_all_sites():
    template(SiteFactory(), "T", "<stl:a></stl:a>{content.title}")
    assert check() == (0, ["The templates have no errors."])


def test_a_site_that_does_not_exist():
    with pytest.raises(CommandError, match=r"Site 99 was not found\."):
        check("99")
