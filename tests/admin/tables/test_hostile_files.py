"""Files that are no tables, or are made to do harm: each is refused with a sentence, and nothing is kept."""

import csv
import io
import signal
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from subprocess import CompletedProcess
from time import sleep

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.lib.cells import defused, restored
from core.models import PendingImport
from core.tables import reading
from core.tables.export import as_csv
from core.tables.resource import Draft, PlannedRow
from tests.admin.tables.files import csv_text, upload, xlsx_file
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PAGE = "accounts_user"
_ENTITIES = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def workbook(**parts):
    """A workbook with other parts."""
    source, buffer = zipfile.ZipFile(xlsx_file(["userName"], ["ann"])), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            short = name.rpartition("/")[2].removesuffix(".xml")
            archive.writestr(name, parts.pop(short, source.read(name)))
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def sheet(rows, dimension="A1:B2"):
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><dimension ref="{dimension}"/><sheetData>{rows}</sheetData></worksheet>'


def cell(place, text):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


REFUSED = {
    "an old Excel file": (b"\xd0\xcf\x11\xe0" + bytes(100), "This file is in an old Excel format."),
    "no letters": (b"\xff\xfe\xff\xff\xd8", "The character encoding of the file is not supported."),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xff",
        "The character encoding of the file is not supported.",
    ),
    "nothing but headings": (b"userName\n", "The file has no rows below its headings."),
    "half an archive": (b"PK\x03\x04half", "The file cannot be read as XLSX."),
    "many columns": (csv_text(["a"] * 201, ["b"] * 201).encode(), "A table may have at most 200 columns."),
    "a very long cell": (b'userName\n"' + b"x" * 5_000_001 + b'"', "The file cannot be read as CSV."),
}


def reasons(answer):
    return " ".join(answer.context["form"].errors.get("file", []))


@pytest.mark.parametrize("data,sentence", REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_is_refused(highest, data, sentence):
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("table", data))
    assert answer.status_code == 200
    assert sentence in reasons(answer)
    assert not PendingImport.objects.exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(highest, monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 25_000)
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("bomb.xlsx", workbook(bomb=b"0" * 200_000)))
    assert "too large when unpacked" in reasons(answer)


SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHARED = '<c t="s"><v>0</v></c>' * 200
HEAVY = {
    "cells far apart": {"sheet1": sheet(f'<row r="1">{cell("A1", "a")}</row><row>{cell("XFD1048576", "b")}</row>')},
    "a row far below": {"sheet1": sheet(f'<row r="1">{cell("A1", "a")}</row><row>{cell("A2000000000", "b")}</row>')},
    "a text that cells share": {
        "sheet1": sheet(f"<row>{SHARED}</row>" * 20),
        "xl/sharedStrings.xml": f"<sst {SPACE}><si><t>{'x' * 1_000_000}</t></si></sst>",
    },
    "a shorter one": {
        "sheet1": sheet(f"<row>{SHARED}</row>" * 20),
        "xl/sharedStrings.xml": f"<sst {SPACE}><si><t>{'x' * 50_000}</t></si></sst>",
    },
}


@pytest.mark.parametrize("parts", HEAVY.values(), ids=HEAVY)
def test_a_small_file_that_takes_much_memory_is_refused(highest, parts):
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("heavy.xlsx", workbook(**parts)))
    assert "too large when unpacked" in reasons(answer)


def test_a_workbook_that_takes_much_time_is_refused(highest, monkeypatch):
    monkeypatch.setattr(reading.subprocess, "run", lambda *_args, **_more: CompletedProcess([], -signal.SIGXCPU, b""))
    answer, _place = upload(highest, PAGE, xlsx_file(["userName"], ["ann"]))
    assert "too large when unpacked" in reasons(answer)


def test_a_worker_reads_one_workbook_at_a_time(monkeypatch):
    at_once, most = [], []

    def run(*_args, **_more):
        at_once.append(1)
        most.append(len(at_once))
        sleep(0.05)
        at_once.pop()
        return CompletedProcess([], 0, b"")

    monkeypatch.setattr(reading.subprocess, "run", run)
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda _number: reading.read_workbook(b"", 1), range(3)))
    assert most == [1, 1, 1]


def test_an_empty_sheet_has_no_rows(highest):
    answer, _place = upload(highest, PAGE, xlsx_file())
    assert "The file has no rows below its headings." in reasons(answer)


def test_rows_that_are_missing_cost_no_time(highest):
    number = 1_048_576
    far = f'<row r="1">{cell("A1", "userName")}</row><row r="{number}">{cell(f"A{number}", "ann")}</row>'
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("far.xlsx", workbook(sheet1=sheet(far))))
    assert "More than 100000 rows of the table are blank" in reasons(answer)


def test_blank_rows_of_csv_are_counted(highest):
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("t.csv", b"userName\n" + b"\n" * 100_001 + b"ann\n"))
    assert "More than 100000 rows of the table are blank" in reasons(answer)


def test_some_rows_may_be_missing(highest):
    rows = f'<row r="1">{cell("A1", "userName")}</row><row r="9000">{cell("A9000", "x&quot;y")}</row>'
    _answer, place = upload(highest, PAGE, SimpleUploadedFile("gaps.xlsx", workbook(sheet1=sheet(rows))))
    assert [row.number for row in highest.get(place).context["preview"].rows] == [9000]


def test_what_was_seen_says_nothing_without_the_key_of_the_service(settings):
    row = PlannedRow(2, "new", Draft(after={"password": "lantern7"}), {})
    ours = row.digest("")
    settings.SECRET_KEY = "another"
    assert row.digest("") != ours


def test_entities_are_refused(highest):
    bomb = _ENTITIES + sheet(f'<row r="1">{cell("A1", "&b;")}</row>').removeprefix("<?xml?>")
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("bomb.xlsx", workbook(sheet1=bomb)))
    assert "cannot be read as XLSX" in reasons(answer)


def test_what_a_sheet_says_of_its_size_does_not_count(highest):
    rows = f'<row r="1">{cell("A1", "userName")}</row><row r="2">{cell("A2", "ann")}</row>'
    data = workbook(sheet1=sheet(rows, dimension="A1:XFD1048576"))
    _answer, place = upload(highest, PAGE, SimpleUploadedFile("wide.xlsx", data))
    assert highest.get(place).context["preview"].counts["new"] == 1


def test_a_table_has_so_many_rows_and_bytes(highest, monkeypatch):
    monkeypatch.setattr(reading, "MAX_ROWS", 2)
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("t.csv", b"userName\na\nb\nc\n"))
    assert "A table may have at most 2 rows" in reasons(answer)
    monkeypatch.setattr("core.tables.forms.MAX_FILE_BYTES", 5)
    answer, _place = upload(highest, PAGE, SimpleUploadedFile("t.csv", b"userName\na\n"))
    assert "A file may have at most" in reasons(answer)


def test_names_of_files_and_cells_are_no_markup(highest):
    file = SimpleUploadedFile("<b>x.csv", b'userName,displayName\nann,"<script>x()</script>"\n')
    _answer, place = upload(highest, PAGE, file)
    text = highest.get(place).content.decode()
    assert "&lt;script&gt;" in text
    assert "<script>x" not in text
    assert "<b>x.csv" not in text


def test_rows_have_the_numbers_of_the_spreadsheet(highest):
    UserFactory(user_name="ann")
    _answer, place = upload(highest, PAGE, SimpleUploadedFile("t.csv", b'userName\n\n\nnew\nx"y\n'))
    preview = highest.get(place).context["preview"]
    assert [row.number for row in preview.rows if row.problems] == [5]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "=1",
        "'=1",
        "''=1",
        " =1",
        "-",
        "+86",
        "@x",
        "\t=1",
        "a;=1",
        "a;'=1",
        "a\n- b",
        "a\r\n-b",
        "＝1",
        *("\xa0=1", "\u3000=1", "\ufeff=1", "\x0b=1", "\u200b \u2028=1", "a;\u3000=1", "'\xa0=1"),
        "'a",
        "' \n",
        'News,;"=1+1;x',
        "; ' \"+1",
        ';"x"=1',
        "a,=1",
        "a, '\"=1",
    ],
)
def test_what_is_defused_can_be_restored(text):
    assert restored(defused(text)) == text
    assert not defused(text).lstrip(" \xa0\u3000\ufeff\x0b\u200b\u2028").startswith(("=", "+", "-", "@", "\t", "＝"))


@pytest.mark.any_database
@pytest.mark.parametrize("text", ['News,;"=1+1;x', 'News,;"" =1+1', "a,=1", "a\t'=1", 'a\n"+1', ";;=1", ' ,"@x'])
def test_no_spreadsheet_begins_a_formula_within_a_cell(text):
    for separator, read_by in product(",;\t", repeat=2):
        (written,) = as_csv(["a", "b"], [["1", text], [text, "1"]], separator)
        rows = csv.reader(io.StringIO(written, newline=""), delimiter=read_by)
        cells = [cell.lstrip(" ") for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
