"""The committed pages of docs/reference are what the code makes."""

import re

import pytest
from django.core.management import get_commands

from cms_api import settings
from core.rest.operations import operations
from server.serving import ENVIRONMENT as SERVER
from tools.openapi.error_codes import ERROR_CODES
from tools.reference import commands_page
from tools.reference.markdown import ROOT, as_bytes, plain, table
from tools.reference.pages import FOLDER, PAGES
from tools.reference.schemas import DOCUMENT, SCHEMAS, slug


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_makes(name):
    same = (FOLDER / name).read_text(encoding="utf-8") == PAGES[name]()
    assert same, f"docs/reference/{name} is not what the code makes: run `make reference`."


def test_there_are_no_other_pages():
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def first_cells(name):
    return re.findall(r"^\| (?:<span[^|]*</span>)?`(\w+)` \|", PAGES[name](), re.MULTILINE)


def test_every_setting_stands_once():
    assert sorted(first_cells("settings.md")) == sorted([*settings.ENVIRONMENT, *SERVER])


def test_every_code_stands_once():
    assert first_cells("codes.md") == sorted(ERROR_CODES)


def test_every_operation_stands_once():
    pages = [PAGES[f"{slug(tag['name'])}.md"]() for tag in DOCUMENT["tags"]]
    told = [each for page in pages for each in re.findall(r"^## ([A-Z]+) (\S+)$", page, re.MULTILINE)]
    assert sorted(told) == sorted((each.method, each.path) for each in operations())


def test_every_record_stands_once():
    pages = "".join(PAGES[f"{slug(tag['name'])}.md"]() for tag in DOCUMENT["tags"])
    told = re.findall(r"^### (\w+)$", pages, re.MULTILINE)
    assert len(told) == len(set(told))
    assert set(SCHEMAS) - set(told) == {f"New{each}" for each in told if f"New{each}" in SCHEMAS} | {
        f"{each}Changes" for each in told if f"{each}Changes" in SCHEMAS
    }


def test_every_member_of_a_content_stands_in_the_page():
    page = PAGES["contents.md"]()
    assert [name for name in SCHEMAS["Content"]["properties"] if f"| `{name}`" not in page] == []


def test_every_command_that_a_page_names_stands_in_the_reference():
    texts = [path.read_text(encoding="utf-8") for folder in ("docs", "deploy") for path in (ROOT / folder).glob("*")
             if path.is_file() and path.suffix != ".pyc"]  # fmt: skip
    named = {name for text in texts for name in re.findall(r"(?:manage\.py|cms-manage) ([a-z_]+)\b", text)}
    assert {"createsuperuser", "check", "sendtestemail"} <= named
    assert named - set(commands_page.names()) == set()


def test_markup_of_a_description_is_shown_and_not_followed():
    assert plain("breaks as <br />, `<b>` as it is") == "breaks as &lt;br />, `<b>` as it is"


def test_every_command_of_ours_stands_once():
    told = re.findall(r"^## (\w+)$", PAGES["commands.md"](), re.MULTILINE)
    own = {name for name, app in get_commands().items() if (FOLDER.parents[1] / app.replace(".", "/")).is_dir()}
    assert own <= set(told)
    assert len(told) == len(set(told))


def test_a_bar_in_a_cell_ends_no_cell():
    assert table(("A",), [("x|y",), (r"x\|y",)]).count(r"| x\|y |") == 2


@pytest.mark.parametrize(
    ("number", "shown"), [(512, ""), (1024, "1 KiB"), (10_485_760, "10 MiB"), (1_073_741_824, "1 GiB")]
)
def test_bytes_are_told_in_the_largest_unit(number, shown):
    assert as_bytes(number) == shown
