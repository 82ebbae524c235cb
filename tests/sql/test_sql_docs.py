"""docs/sql.md says what the code says, and its examples work."""

import io
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

import sql_sandbox
from cms_api import settings as service_settings
from cms_api.sql_endpoint import catalogue
from sql_sandbox.catalogue import Catalogue
from sql_sandbox.compiled import STATEMENT_CHARACTERS
from sql_sandbox.compiling import cost
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading import functions, predicates, rules, tokens
from sql_sandbox.reading.statement import read_statement

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")


def section(heading):
    """What stands below a heading, up to the next one of its level or above."""
    level = len(heading.split()[0])
    rest = DOCUMENT.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def blocks(language, part=DOCUMENT):
    return re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("table", catalogue.TABLES, ids=lambda table: table.name)
def test_the_columns_of_a_table_are_those_of_the_code(table):
    rows = re.findall(r"^\| (\w+) \| (`.+`) \|$", section(f"### {table.name}"), re.MULTILINE)
    documented = {name: kind for kind, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert documented == {column.name: column.kind.value for column in table.columns}


def test_the_tables_open_by_default_are_those_of_the_settings():
    assert service_settings.ENVIRONMENT["CMS_SQL_TABLES"].default == list(catalogue.OPEN_BY_DEFAULT)
    opened = section("## Tables").split("Open unless", 1)[1].split(" To open", 1)[0]
    assert re.findall(r"`(siteserver_\w+)`", opened) == list(catalogue.OPEN_BY_DEFAULT)


def test_every_setting_that_is_named_exists_and_every_one_of_the_endpoint_is_named():
    named = set(re.findall(r"\bCMS_\w+", DOCUMENT))
    assert named <= service_settings.ENVIRONMENT.keys()
    assert {name for name in service_settings.ENVIRONMENT if name.startswith("CMS_SQL_")} <= named


def test_the_functions_are_those_of_the_code():
    documented = set(re.findall(r"`([A-Z_]+)`", section("### Functions")))
    assert documented == set(functions.NAMES) - {"->>"}


SETTINGS = {name: setting.default for name, setting in service_settings.ENVIRONMENT.items()}


@pytest.mark.parametrize(
    "words",
    [
        f"`CMS_SQL_SECONDS`, {SETTINGS['CMS_SQL_SECONDS']:.0f} seconds",
        f"`CMS_SQL_MAX_ROWS`, {SETTINGS['CMS_SQL_MAX_ROWS']:,}",
        f"`CMS_SQL_MAX_BYTES`, {SETTINGS['CMS_SQL_MAX_BYTES'] // 1024 // 1024} MiB",
        f"`CMS_SQL_SLOTS`, {SETTINGS['CMS_SQL_SLOTS']} per worker",
        f"{STATEMENT_CHARACTERS:,} characters and {tokens.MAX_TOKENS:,} words and signs",
        f"{tokens.MAX_BRACKETS} brackets, {rules.MAX_LEVELS} queries within each other",
        f"expressions of {rules.MAX_DEPTH} levels",
        f"{rules.MAX_RELATIONS} tables and queries, {rules.MAX_SELECTS} SELECTs",
        f"{predicates.MAX_ITEMS} values behind IN",
        f"{cost.MAX_NODES:,} parts and {cost.MAX_TABLES} tables",
        f"{cost.MAX_WORK} points for what a statement does",
        f"{cost.MAX_SORTS} in all",
        f"patterns of {predicates.MAX_LIKE} characters with {predicates.MAX_WILDCARDS} wildcards",
    ],
)
def test_a_limit_is_that_of_the_code(words):
    assert words in section("## Limits")


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize("statement", blocks("sql"))
def test_an_example_is_understood(statement, engine):
    opened = Catalogue.of(catalogue.choose_tables(catalogue.OPEN_BY_DEFAULT), contents=catalogue.CONTENTS)
    compiled = compile_query(read_statement(statement), opened, engine, now=datetime(2026, 11, 20), max_rows=1000)
    assert compiled.columns


def test_no_column_of_the_catalogue_needs_quotes():
    for table in catalogue.TABLES:
        statement = f"SELECT {', '.join(column.name for column in table.columns)} FROM {table.name}"
        compiled = compile_query(
            read_statement(statement), Catalogue.of([table]), "sqlite", now=datetime(2026, 11, 20), max_rows=1
        )
        assert len(compiled.columns) == len(table.columns)


def printed(*options):
    output = io.StringIO()
    call_command("sql_catalogue", *options, stdout=output)
    return output.getvalue().strip()


def test_the_command_prints_the_open_tables(settings):
    settings.CMS_SQL_TABLES = ["siteserver_tag"]
    assert printed() == catalogue.as_markdown([catalogue.TAG]).strip()
    assert printed("--all") == catalogue.as_markdown(catalogue.TABLES).strip()


def test_the_command_names_an_unknown_table(settings):
    settings.CMS_SQL_TABLES = ["auth_user"]
    with pytest.raises(CommandError, match='no table "auth_user"'):
        printed()


@pytest.mark.parametrize("link", re.findall(r"\]\(#([^)]+)\)", DOCUMENT))
def test_a_link_within_leads_to_a_heading(link):
    headings = re.findall(r"^#+ (.+)$", DOCUMENT, re.MULTILINE)
    assert link in {heading.lower().replace(" ", "-") for heading in headings}


def test_the_example_of_the_sandbox_runs_as_printed():
    readme = Path(sql_sandbox.__file__).with_name("README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    printed = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert '"v1"' in printed
    assert "Books" not in printed
    assert printed.endswith("{'p1': 3}\n")
