"""The element `sqlContents` of pages."""

import pytest

from tests.factories import SiteFactory
from tests.pages.showing import Museum

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sql_reader")]


def test_rows_of_a_statement():
    museum = Museum()
    SiteFactory(site_dir="other")  # whose rows no statement of the museum sees
    text = (
        '<stl:sqlContents totalNum="2"><stl:queryString>SELECT SiteName, SiteDir FROM siteserver_Site</stl:queryString>'
        "{sql.siteName}:{sql.SiteDir}{sql.itemIndex}</stl:sqlContents>"
    )
    assert museum.show(text) == "Harbour museum:museum1"
    wrong = museum.page('<stl:sqlContents queryString="DELETE FROM siteserver_Site">x</stl:sqlContents>')
    assert (wrong.html, len(wrong.problems)) == ("", 1)


STATEMENT = "SELECT SiteName FROM siteserver_Site WHERE SiteDir = '{request.dir}' AND Id > {request.id}"


@pytest.mark.parametrize(
    ("directory", "number", "shown"),
    [
        ("museum", "0", "Harbour museum"),
        ("x' OR 1=1 --", "0", ""),
        ("museum", "0 OR 1=1", ""),
        ("museum", "", ""),
    ],
)
@pytest.mark.parametrize("form", ["<stl:{0}><stl:queryString>{1}</stl:queryString>", '<stl:{0} queryString="{1}">'])
@pytest.mark.parametrize("name", ["sqlContents", "pageSqlContents"])
def test_a_visitor_cannot_change_a_statement(name, form, directory, number, shown):
    text = form.format(name, STATEMENT) + f"{{sql.SiteName}}</stl:{name}>"
    assert Museum().show(text, query={"dir": directory, "id": number}) == shown
