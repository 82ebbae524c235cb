"""A backend of PostgreSQL grows by no more than 64 MB, whatever a statement asks for."""

import json
import threading
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from django.db import connection

from cms_api.sql_endpoint.catalogue import CONTENTS
from cms_api.sql_endpoint.postgresql_views import SCHEMA
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from sql_sandbox.catalogue import Catalogue, ValueKind
from sql_sandbox.compiled import Compiled, Limits
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.refusals import Refused
from sql_sandbox.running.postgresql_reader import PostgresqlReader
from tests import worlds

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="measures PostgreSQL"),
    pytest.mark.django_db,
]
MAX = 64 * 1024  # KiB
SECONDS = 2.0
LARGE = 103  # a content of the world
LETTERS = 10_000_000

NUMBERS = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(1, 7))
# Without a table: all numbers with four digits from 1 to 6, and as many pairs of them as there is time for.
MANY = f"WITH a AS ({NUMBERS}), b AS (SELECT w.n*1000+x.n*100+y.n*10+z.n AS n FROM a w, a x, a y, a z)"
EIGHT = "a p, a q, a r, a s, a t, a u, a v, a w"
UNKNOWN = "p.n%1=0 AND q.n%1=0 AND p.n+q.n>0"  # true, which no planner knows
PAIRS = f"SELECT p.n*10000+q.n AS n FROM b p, b q WHERE {UNKNOWN}"
LONG = "'" + "text " * 40 + "'"
WINDOWS = ", ".join(f"SUM(q.n) OVER (PARTITION BY p.n%{k} ORDER BY q.n)" for k in range(2, 60))
GROWING = [
    f"WITH a AS ({NUMBERS}) SELECT {', '.join(f'COUNT(DISTINCT p.n*{k}+q.n)' for k in range(100))} FROM {EIGHT}",
    f"WITH a AS ({NUMBERS}) SELECT {WINDOWS} FROM {EIGHT}",
    f"{MANY} SELECT COUNT(*) FROM b WHERE NOT n IN ({PAIRS})",
    f"{MANY} SELECT COUNT(*) FROM b WHERE n IN ({PAIRS}) OR n = 1",
    f"{MANY} SELECT IIF(EXISTS (SELECT 1 FROM b p, b q WHERE p.n*10000+q.n = r.n AND {UNKNOWN}), 1, 0) FROM b r",
    f"{MANY} SELECT COUNT(*) FROM ({PAIRS} EXCEPT SELECT n FROM b) t",
    f"{MANY} SELECT COUNT(*) FROM ({PAIRS} UNION SELECT n FROM b) t",
    f"{MANY} SELECT COUNT(*) FROM (SELECT p.n*10000+q.n AS n, MAX(IIF(r.n>1111,{LONG},'')) AS m "
    "FROM a r, b p, b q GROUP BY p.n*10000+q.n) t",
    f"{MANY} SELECT COUNT(s.m+t.m) FROM (SELECT p.n*0 AS k, p.n+q.n+{LONG} AS m FROM b p, b q WHERE {UNKNOWN}) s "
    f"JOIN (SELECT p.n*0 AS k, p.n-q.n+{LONG} AS m FROM b p, b q WHERE {UNKNOWN}) t ON s.k = t.k",
]
ON_TEXTS = [
    "JSON_VALUE(SettingsXml, '$.isbn')",
    " + ".join(f"JSON_VALUE(SettingsXml, '$.m{n}')" for n in range(3)),
    "COUNT(DISTINCT UPPER(Content))",
    "MAX(Content) + MAX(Summary)",
    "LEN(TRIM(Content)) + LEN(TRIM(Content))",
    "LEN(CONCAT(Content, Content, Content, Content))",
    "LEN(REPLACE(Content, 'a', 'bcd'))",
    " + ".join(["LEN(Content)"] * 40),
    " + ".join(f"IIF(Content LIKE '%z{n}%', 1, 0)" for n in range(12)),
    "CAST(Content AS int) + CAST(Content AS float)",
    "ROW_NUMBER() OVER (ORDER BY UPPER(Content), LOWER(Content))",
    "a.Content, b.Content, a.Summary, b.Summary, a.SettingsXml, b.SettingsXml",
]
ON_SETTINGS = [
    "SELECT ExtendValues FROM siteserver_Channel",
    "SELECT JSON_VALUE(ExtendValues, '$.colour') AS v FROM siteserver_Channel",
    f"SELECT {' + '.join(['LEN(ExtendValues)'] * 40)} AS v FROM siteserver_Channel",
    "SELECT SettingsXml FROM siteserver_Site",
    f"SELECT {' + '.join(['LEN(SettingsXml)'] * 40)} AS v FROM siteserver_Site",
]


@pytest.fixture(scope="module")
def large_content(committed_world, django_db_blocker):
    """A content with 10 MB of body, of summary and of custom fields, as an older version may have stored it."""
    from contents.models import Content, ContentBody

    with django_db_blocker.unblock():
        worlds.leave()
        lists = json.dumps({"isbn": "x", "l": [[]] * (LETTERS // 4)}, separators=(",", ":"))
        Content.objects.filter(pk=LARGE).update(settings_xml=lists, summary="a" * LETTERS)
        ContentBody.objects.filter(content_id=LARGE).update(text="a" * LETTERS)


@pytest.fixture(scope="module", params=["lists", "numbers", "letters"])
def large_settings(request, committed_world, django_db_blocker):
    """A channel and a site with 9 MB of custom values, as an older version may have stored them."""
    from channels_app.models import Channel
    from sites.models import Site

    size = 9_000_000
    value = {"lists": [[]] * (size // 3), "numbers": [0] * (size // 2), "letters": "&" * size}[request.param]
    with django_db_blocker.unblock():
        worlds.leave()
        for rows in (Channel.objects.filter(pk=13), Site.objects.filter(pk=1)):
            rows.update(settings={"colour": "blue", "large": value})


@pytest.fixture
def reader(large_content):
    address = {name: value for name, value in connection_parameters().items() if isinstance(value, str | int)}
    with closing(PostgresqlReader(address, lambda _: None, SCHEMA)) as reader:
        run(reader, compiled("SELECT TOP 1 * FROM siteserver_Content"))  # the catalogue's own caches
        yield reader


def compiled(statement):
    catalogue = Catalogue.of(open_tables(), None, CONTENTS)
    return compile_query(read_statement(statement), catalogue, "postgresql", now=datetime(2026, 1, 31), max_rows=1000)


def run(reader, statement):
    try:
        reader.run(statement, None, time.monotonic() + SECONDS, Limits(SECONDS))
    except Refused as refused:
        assert refused.code in ("sql_timeout", "sql_failed", "sql_too_large"), refused.message


def grown(reader, statement):
    """The KiB that the backend has at most more than before, while the statement runs."""
    status = Path(f"/proc/{reader._connection.info.backend_pid}/status")
    if not status.exists():
        pytest.skip("the database server is on another machine")
    sizes, done = [_own_memory(status)], threading.Event()

    def watch():
        while not done.wait(0.001):
            sizes.append(_own_memory(status))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        run(reader, statement)
    finally:
        done.set()
        watching.join()
    return max(sizes) - sizes[0]


def _own_memory(status):
    """Without the buffers that all backends share."""
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("RssAnon"))


@pytest.mark.parametrize("statement", GROWING, ids=range(len(GROWING)))
def test_sorts_and_tables_of_a_statement_share_a_limit(reader, statement):
    assert grown(reader, compiled(statement)) < MAX


@pytest.mark.parametrize("value", ON_TEXTS, ids=range(len(ON_TEXTS)))
def test_long_texts_are_read_as_far_as_the_statement_can_bear(reader, value):
    relations = (
        "siteserver_Content a JOIN siteserver_Content b ON a.Id = b.Id" if "a." in value else "siteserver_Content"
    )
    assert grown(reader, compiled(f"SELECT {value} AS v FROM {relations}")) < MAX


@pytest.mark.parametrize("statement", ON_SETTINGS, ids=range(len(ON_SETTINGS)))
def test_large_settings_of_channels_and_sites_are_not_read(large_settings, reader, statement):
    assert grown(reader, compiled(statement)) < MAX


def test_growth_would_be_seen(reader):
    assert (
        grown(reader, Compiled("SELECT length(repeat('x', 200000000))", {}, {}, (("length", ValueKind.INTEGER),))) > MAX
    )
