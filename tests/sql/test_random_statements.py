"""Whatever is written, what comes of it is rows or a refusal; nothing leaks, nothing is written.

Hypothesis writes some. Most are made faster, each out of a number, so that one of a failure can be made again:
`make(number)`. The environment variable CMS_RANDOM_STATEMENTS tells how many are tried, by default a few hundred;
CMS_RANDOM_START where they begin.
"""

import os
import random
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cms_api.sql_endpoint.catalogue import CONTENTS
from sql_sandbox.catalogue import Catalogue
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.refusals import BY_CODE, Refused
from tests.sql.alphabet import COMPILED, TABLES, find_faults
from tests.sql.asking import ask, find_fault
from tests.sql.statements import Writer, change
from tests.sql.world import A, B, C, files, state

pytestmark = pytest.mark.django_db
COUNT = int(os.environ.get("CMS_RANDOM_STATEMENTS", "400"))
START = int(os.environ.get("CMS_RANDOM_START", "0"))
BATCHES = 8
EXAMPLES = COUNT // 4
ENGINES = ("sqlite", "postgresql")
CATALOGUES = {
    sites: Catalogue.of(TABLES, sites, CONTENTS, {"siteserver_content_1": (A,), "model_content": (B, C)})
    for sites in (None, (A,))
}


def make(number):
    """The statement that belongs to the number."""
    source = random.Random(number)
    return change(source) if number % 3 == 0 else Writer(source).statement()


def faults_of_compiling(statement, site_ids):
    """What is wrong with the compiled statement, on either engine."""
    for engine in ENGINES:
        try:
            query = read_statement(statement)
            compiled = compile_query(query, CATALOGUES[site_ids], engine, now=datetime(2026, 1, 1), max_rows=1000)
        except Refused as refused:
            assert type(refused) in BY_CODE.values()
            continue
        yield from (f"{engine}: {fault}" for fault in find_faults(compiled))


def faults(statement, site_ids, unwanted):
    """What is wrong with what comes of the statement."""
    try:
        yield from faults_of_compiling(statement, site_ids)
        if fault := find_fault(ask(statement, site_ids), statement, unwanted):
            yield fault
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not a Refused
        yield f"raised {error!r}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_statements_get_rows_or_a_refusal(world, impatient_box, batch):
    rows, folders = state(), files()
    unwanted = {sites: world.canaries(sites) for sites in CATALOGUES}
    found = [
        f"make({number}): {make(number)!r}\n    {fault}"
        for number in range(START + batch, START + COUNT, BATCHES)
        for site_ids in CATALOGUES
        for fault in faults(make(number), site_ids, unwanted[site_ids])
    ]
    assert "\n".join(found) == ""
    assert state() == rows
    assert files() == folders


def test_no_statement_of_the_grammar_reads_a_secret_or_writes(world, impatient_box):
    rows = state()
    unwanted = {sites: world.canaries(sites) for sites in CATALOGUES}

    # Slower than plain random numbers, but a failing statement is made as small as it can be.
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(source=st.randoms(use_true_random=False), is_changed=st.booleans())
    def holds(source, is_changed):
        statement = change(source) if is_changed else Writer(source).statement()
        for site_ids, marks in unwanted.items():
            assert list(faults(statement, site_ids, marks)) == [], statement

    holds()
    assert state() == rows


def test_many_of_the_random_statements_are_carried_out(world, settings):
    settings.CMS_SQL_SECONDS = 2  # time for most, on however busy a machine; some would take minutes
    outcomes = [ask(make(number)) for number in range(1, 100, 2)]
    carried_out = [outcome for outcome in outcomes if not outcome.is_refused]
    assert len(carried_out) > len(outcomes) / 4
    assert any(outcome.rows != "[]" for outcome in carried_out)


def test_the_pattern_of_compiled_statements_knows_what_is_foreign():
    assert COMPILED.fullmatch('SELECT "t1"."title" AS "c1" FROM "v1" AS "t1" WHERE ("t1"."id" = :p1)')
    for foreign in (
        'SELECT "t1"."password" AS "c1" FROM "v1" AS "t1"',
        'SELECT "c1" FROM "accounts_user"',
        "SELECT 'a'",
        "SELECT 1; SELECT 2",
        "SELECT load_extension(:p1)",
        'DELETE FROM "v1"',
        'SELECT "a""b"',
        "SELECT 1 \\ 2",
        "SELECT x",
    ):
        assert not COMPILED.fullmatch(foreign), foreign
