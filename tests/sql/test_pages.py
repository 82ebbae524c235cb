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
