"""Lists as HTML tables."""

import pytest

from sites.models import FieldDefinition
from tests.factories import ContentFactory
from tests.pages.showing import Museum

pytestmark = pytest.mark.django_db

# Attributes of the list of Fourth, Third, Second and First, and the cells of the rows.
ROWS = [
    ('layout="Table"', ["Fourth", "Third", "Second", "First"]),
    ('columns="3"', ["Fourth Third Second", "First"]),
    ('columns="3" direction="vertical"', ["Fourth Second First", "Third"]),
    ('columns="9" direction="Vertical"', ["Fourth Third Second First"]),
    ('direction="horizontal"', ["Fourth Third Second First"]),
]


@pytest.mark.parametrize(("attributes", "rows"), ROWS)
def test_items_fill_rows_or_columns(attributes, rows):
    museum = Museum()
    shown = museum.show(f"<stl:contents {attributes}>{{content.title}}</stl:contents>", museum.news)
    cells = "".join(f"<tr>{''.join(f'<td>{title}</td>' for title in row.split())}</tr>" for row in rows)
    assert shown == f'<table width="100%">{cells}</table>'


def test_a_table_has_attributes_header_and_footer_but_no_separators():
    text = (
        '<stl:channels columns="2" width="9" class="{stl.siteName}" itemClass="c" itemVerticalAlign="top">'
        '<stl:itemTemplate type="header">H</stl:itemTemplate><stl:itemTemplate type="separator">,</stl:itemTemplate>'
        "x</stl:channels>"
    )
    cell = '<td valign="top" class="c">x</td>'
    assert Museum().show(text) == (
        f'<table width="9" class="Harbour museum"><tr><td colspan="2">H</td></tr><tr>{cell * 2}</tr></table>'
    )


def test_an_attribute_of_a_table_selects_no_contents():
    museum = Museum()
    FieldDefinition.objects.create(site=museum.site, owner="content", name="Width", folded_name="width", kind="Text")
    ContentFactory(channel=museum.about, title="Wide", settings_xml='{"Width": "9"}', is_checked=True)
    assert museum.show('<stl:contents columns="1" width="8">x</stl:contents>', museum.about).count("x") == 1
    assert museum.show('<stl:contents width="9">x</stl:contents>', museum.about) == "x"


def test_a_list_over_several_pages_may_be_a_table():
    museum = Museum()
    text = '<stl:pageContents pageNum="3" columns="2">{content.title}</stl:pageContents>'
    assert museum.show(text, museum.news, number=2) == '<table width="100%"><tr><td>First</td></tr></table>'
