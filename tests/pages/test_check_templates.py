"""`manage.py check_templates`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pages.models import Template, TemplateKind
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


def test_templates_without_errors_of_all_sites():
    template(SiteFactory(), "T", "<stl:a></stl:a>{content.title}")
    assert check() == (0, ["The templates have no errors."])


def test_a_site_that_does_not_exist():
    with pytest.raises(CommandError, match=r"Site 99 was not found\."):
        check("99")
