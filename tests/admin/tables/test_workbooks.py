"""Cells of workbooks: each kind is read as the text that the API writes."""

import re
import zipfile
from datetime import date, datetime, time, timedelta
from io import BytesIO

import pytest
from openpyxl import Workbook

from core.tables.export import as_xlsx
from core.tables.reading import read_table

CELLS = {
    "a whole number": (13812345678, "13812345678"),
    "a number": (12.5, "12.5"),
    "a flag": (True, "True"),
    "a date": (date(2026, 1, 5), "2026-01-05 00:00:00"),
    "a date and time": (datetime(2026, 1, 5, 9, 30, 15), "2026-01-05 09:30:15"),
    "a time": (time(9, 30), "09:30:00"),
    "hours": (timedelta(hours=30), "1 day, 6:00:00"),
    "a text": (" 港口 &\n<b> ", " 港口 &\n<b> "),
    "a text like markup of a cell": (' t="e"', ' t="e"'),
    "an error": ("#N/A", "#N/A"),
    "a formula that no program has calculated": ("=1+1", "#NO-RESULT"),
    "an escaped character": ("_x0041_", "A"),
    "a blank cell": (None, ""),
}


def read(file):
    return [cells for _number, cells in read_table(file.getvalue()).rows]


def workbook_of(*rows):
    workbook, file = Workbook(), BytesIO()
    for row in rows:
        workbook.active.append(row)
    workbook.save(file)
    return file


@pytest.mark.parametrize("value,text", CELLS.values(), ids=CELLS)
def test_a_cell_is_read_as_the_api_writes_it(value, text):
    assert read(workbook_of(["a", "b"], ["x", value])) == [["x", text]]


def test_a_cell_keeps_its_value_beside_an_error():
    values, texts = zip(*CELLS.values(), strict=True)
    assert read(workbook_of(["a"], [*values, "#DIV/0!"])) == [[*texts, "#DIV/0!"]]


def test_an_empty_result_of_a_formula_is_an_empty_text():
    assert read(with_cell('<c r="A2" t="str"><f>""</f><v></v></c>')) == [["", "x"]]


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="A2"><f>A1</f></c>',
        '<c r="A2"><f t="shared" si="0"/><v/></c>',
        '<c r="A2" s="0" t="n"><f>A1&amp;"&lt;"</f><v></v></c>',
    ],
)
def test_a_formula_without_result_is_told(cell):
    assert read(with_cell(cell)) == [["#NO-RESULT", "x"]]


def with_cell(cell):
    """A workbook with the cell below a heading, beside `x`."""
    changed = BytesIO()
    with zipfile.ZipFile(workbook_of(["a", "b"], ["here", "x"])) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, re.sub('<c r="A2".*?</c>', cell, source.read(name).decode()))
    return changed


def test_cells_of_a_merged_range_are_no_blank_cells():
    workbook, file = Workbook(), BytesIO()
    for row in [["Title", None], ["a", "b"], ["1", "2"], [None, "4"], [None, None], ["7", None], ["9", "10"]]:
        workbook.active.append(row)
    for merged in ("A1:B1", "A3:A5", "A6:B6"):
        workbook.active.merge_cells(merged)
    workbook.save(file)
    assert read(file) == [["a", "b"], ["1", "2"], ["#MERGED", "4"], ["7", "#MERGED"], ["9", "10"]]


@pytest.mark.parametrize(
    ("shape", "value", "text"),
    [
        ("000000", 123, "000123"),
        ("00", 123, "123"),
        ("000", 12.5, "12.5"),
        ("000", -5, "-5"),
        ("000", "7", "7"),
        ("0", 7, "7"),
        ("0.00", 7, "7"),
    ],
)
def test_a_number_has_the_leading_zeros_of_its_format(shape, value, text):
    workbook, file = Workbook(), BytesIO()
    workbook.active.append(["a"])
    workbook.active.append([value])
    workbook.active["A2"].number_format = shape
    workbook.save(file)
    assert read(file) == [[text]]


def test_dates_of_1904_are_read_as_such():
    file = workbook_of(["a"], [date(2026, 1, 5)])
    changed = BytesIO()
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            data = source.read(name).replace(b"<workbookPr", b'<workbookPr date1904="1"')
            target.writestr(name, data)
    assert read(changed) == [["2030-01-06 00:00:00"]]


def test_the_first_sheet_that_is_no_chart_is_read():
    workbook, file = Workbook(), BytesIO()
    workbook.create_chartsheet("Chart", 0)
    workbook.active = 1
    workbook.worksheets[0].append(["a"])
    workbook.worksheets[0].append(["below"])
    workbook.save(file)
    assert read(file) == [["below"]]


@pytest.mark.parametrize("text", ["_x0041_", "_x005F_x0041_", "_x000D_", "_x00_", "x_x0041__x0042_"])
def test_what_looks_like_an_escaped_character_is_written_as_a_text(text):
    with as_xlsx(["a"], [[text]]) as file:
        assert read(BytesIO(file.read())) == [[text]]
