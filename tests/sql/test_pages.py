"""The element `sqlContents` of pages."""

from datetime import datetime

import pytest

from tests.factories import ContentFactory, SiteFactory
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
    museum, query = Museum(), {"dir": directory, "id": number}
    assert museum.show(text, query=query) == shown
    assert museum.show('<stl:include file="include/a.html"></stl:include>', a=text, query=query) == shown


@pytest.mark.parametrize("form", ["<stl:{0}><stl:queryString>{1}</stl:queryString>", '<stl:{0} queryString="{1}">'])
@pytest.mark.parametrize("name", ["sqlContents", "pageSqlContents"])
@pytest.mark.parametrize("table", [
    "{stl.tableForContent}", "{Stl.TableForContent}", "[{stl.tableForContent}]", "`{stl.tableForContent}`"
])  # fmt: skip
def test_a_statement_names_the_table_of_contents(name, form, table):
    statement = f"SELECT TOP 2 Id, Title FROM {table} WHERE SiteId = {{stl.siteId}} ORDER BY Title"
    text = form.format(name, statement) + f"[{{sql.Title}}]</stl:{name}>"
    museum = Museum()
    assert museum.show(text) == "[First][Fourth]"
    # A parameter of that name is no entity.
    include = '<stl:include file="include/a.html" tableForContent="{request.t}" siteId="{request.t}"></stl:include>'
    query = {"t": "siteserver_Site"}
    of_site = text.replace("Title", "SiteName").replace("WHERE SiteId = {stl.siteId}", "")
    assert museum.show(include, a=of_site, query=query) == ""
    assert museum.show(include, a=text, query=query | {"t": "1 OR 1=1"}) == ""


IN_LIST = "<stl:sqlContent type='title' isUpper='true'></stl:sqlContent>"


@pytest.mark.parametrize("text, shown", [
    ('<stl:sqlContent queryString="{0}"></stl:sqlContent>', "First"),
    ("<stl:sqlContent type='hits' leftText='('><stl:queryString>{0}</stl:queryString></stl:sqlContent>", "(0"),
    ("<stl:sqlContent type='none' leftText='(' queryString=\"{0}\"></stl:sqlContent>", ""),
    ("<p title='{{stl:sqlContent queryString=\"{0}\"}}'>", "<p title='First'>"),
    (f'<stl:sqlContents queryString="{{0}}">{IN_LIST}</stl:sqlContents>', "FIRSTSECOND"),
    ("<stl:sqlContent queryString=\"{0} AND Title = 'x'\"></stl:sqlContent>", ""),
])  # fmt: skip
def test_a_value_of_a_row(text, shown):
    statement = "SELECT TOP 2 Title, Hits FROM siteserver_Content WHERE Tags LIKE '%ship%'"
    assert Museum().show(text.format(statement)) == shown


def test_rows_are_those_that_visitors_may_see():
    museum = Museum()
    ContentFactory(channel=museum.news, title="Waiting", tags="secret", group_name_collection="Secret")
    ContentFactory(channel=museum.news, title="Trashed", is_checked=True, trashed_at=datetime(2021, 1, 1))
    table, some = museum.site.table_name, "'Waiting', 'Trashed', 'First'"
    for statement in (
        f"SELECT Title FROM siteserver_Content WHERE Title IN ({some})",
        f"SELECT Title FROM {table} WHERE Title IN ({some})",
        f"SELECT c.Title FROM siteserver_Channel n JOIN {table} c ON c.ChannelId = n.Id WHERE c.Title IN ({some})",
    ):
        for name, attributes, shown in (
            ("sqlContents", "", "First"),
            ("pageSqlContents", "", "First"),
            ("sqlContents", 'isChecked="true"', "First"),
            ("sqlContents", 'isChecked="no"', "First"),
            ("sqlContents", 'isChecked="all" order="Title"', "FirstWaiting"),
            ("pageSqlContents", 'ISCHECKED="All" order="Title"', "FirstWaiting"),
            ("sqlContents", 'isChecked="{Request.w}"', "First"),
            ("pageSqlContents", 'isChecked="a{Request.v}l"', "First"),
        ):
            text = f'<stl:{name} {attributes} queryString="{statement}">{{sql.Title}}</stl:{name}>'
            assert museum.show(text, query={"w": "all", "v": "l"}) == shown, text
    for statement, shown, every in (
        ("SELECT GroupName AS n FROM siteserver_ContentGroup", "", "Secret"),
        ("SELECT Tag AS n FROM siteserver_Tag ORDER BY Tag", "craneharbourship", "craneharboursecretship"),
        (
            "SELECT TagName AS n FROM siteserver_ContentTag ORDER BY TagName",
            "craneharbourship",
            "craneharboursecretship",
        ),
        ("SELECT ContentNum AS n FROM siteserver_Channel WHERE IndexName = 'news'", "4", "5"),
        ("SELECT COUNT(*) AS n FROM siteserver_Content", "5", "6"),
    ):
        for attributes, expected in (("", shown), ('isChecked="all"', every)):
            text = f'<stl:sqlContents {attributes} queryString="{statement}">{{sql.n}}</stl:sqlContents>'
            assert museum.show(text) == expected
