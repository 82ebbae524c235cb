"""Hostile statements through the whole box: nothing leaks, nothing is written, and the sandbox goes on."""

import json
import re

import pytest

from sql_sandbox.refusals import TimedOut
from tests.sql import corpus
from tests.sql.asking import EARLY_CODES, ask, find_fault
from tests.sql.world import A, files, found_in, state

ATTACKS = {
    expect: corpus.by_category(one for one in corpus.read_attacks(corpus.OWN) if one.expect == expect)
    for expect in ("deny", "bounded")
}
KEYS = {"every site": None, "one site": (A,)}
# What must be refused at once has the time to be: a time that ran out would be another refusal.
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_box")]
OPEN = "siteserver_(Site|Channel|Content|Content_1|Tag|ContentTag|ContentGroup)"


@pytest.fixture(params=KEYS)
def site_ids(request):
    """The sites that the key reaches; None: every one."""
    return KEYS[request.param]


def faults(attacks, site_ids, unwanted):
    """A line for each attack of which something came that must not."""
    found = {attack.line[:300]: _fault(attack, site_ids, unwanted) for attack in attacks}
    return [f"{line}\n    {fault}" for line, fault in found.items() if fault]


def _fault(attack, site_ids, unwanted):
    try:
        outcome = ask(attack.statement, site_ids)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not a Refused
        return f"raised {error!r}"
    if attack.expect == "deny" and outcome.code not in EARLY_CODES:
        return f"was not refused: {outcome}"[:300]
    return find_fault(outcome, attack.statement, unwanted)


def assert_harmless(attacks, world, site_ids):
    rows, folders = state(), files()
    assert "\n".join(faults(attacks, site_ids, world.canaries(site_ids))) == ""
    assert state() == rows
    assert files() == folders
    assert_goes_on(site_ids)


def assert_goes_on(site_ids):
    """The sandbox answers the next statement, which on a busy machine may run out of a short time now and then."""
    outcomes = (ask("SELECT 1 AS one", site_ids) for _ in range(20))
    answered = next(outcome for outcome in outcomes if outcome.code != TimedOut.code)
    assert answered.rows == '[{"one":1}]'


@pytest.mark.parametrize("category", sorted(ATTACKS["deny"]))
def test_attacks_are_refused_and_change_nothing(world, category, site_ids):
    assert_harmless(ATTACKS["deny"][category], world, site_ids)


@pytest.mark.parametrize("category", sorted(ATTACKS["bounded"]))
def test_attacks_within_limits_get_nothing_and_change_nothing(world, impatient_box, category, site_ids):
    assert_harmless(ATTACKS["bounded"][category], world, site_ids)


@pytest.mark.skipif(not corpus.DELIVERED.is_file(), reason="the statements are not delivered with the project")
@pytest.mark.parametrize("expect", ["deny", "bounded"])
def test_delivered_attacks_get_nothing_and_change_nothing(world, impatient_box, settings, expect, site_ids):
    if expect == "deny":
        settings.CMS_SQL_SECONDS = 2
    assert_harmless([one for one in corpus.read_attacks(corpus.DELIVERED) if one.expect == expect], world, site_ids)


def test_a_leak_would_be_seen(world):
    from django.db import connection

    unwanted = world.canaries((A,))
    for statement in (
        "SELECT password FROM accounts_administrator",
        "SELECT hex(mobile) FROM accounts_user" if connection.vendor == "sqlite"
        else "SELECT encode(mobile::bytea, 'hex') FROM accounts_user",
        "SELECT digest FROM apikeys_apikeytoken",
        "SELECT session_data FROM django_session",
        "SELECT name FROM apikeys_apikey",
        "SELECT title FROM contents_content WHERE trashed_at IS NOT NULL",
        "SELECT version FROM contents_content WHERE id = 108",
        "SELECT trashed_with_id FROM contents_content WHERE id = 108",
        "SELECT site_name FROM cms_sites_site",
        "SELECT id FROM contents_content WHERE site_id > 1",
    ):  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(statement)
            assert found_in(json.dumps(cursor.fetchall()), unwanted), statement


def test_a_write_would_be_seen(world):
    from contents.models import Content

    before = state()
    changed = Content.objects.filter(pk=101)
    changed.update(hits=11)
    assert state() != before
    changed.update(hits=10)
    assert state() == before


@pytest.mark.parametrize(
    "window",
    [
        {"order": (("password", False),)},
        {"order": (("version", True),)},
        {"order": (("id; DELETE FROM contents_content", False),)},
        {"order": (("(SELECT password FROM accounts_user)", False),)},
        {"order": (("1", False),)},
        {"order": (("c1", False),)},
        {"order": (("t1.c1", False),)},
        {"order": (('id" DESC --', False),)},
        {"order": (("", False),)},
        {"order": (("\x00", False),)},
        {"order": (("{u}".format(u="\u202e") + "di", False),)},
        {"order": (("id", False),) * 500},
        {"order": (("x" * 100_000, False),)},
        {"start": 0},
        {"start": -1},
        {"start": 2**31},
        {"start": 2**63},
        {"start": 10**40},
        {"total": -1},
        {"total": 2**31},
        {"total": 2**63},
        {"total": 10**40},
        {"start": 2**62, "total": 2**62},
        {"start": 2**63 - 1, "total": 2**63 - 1, "order": (("id", True),)},
    ],
    ids=lambda window: repr(window)[:60],
)
def test_hostile_orders_and_windows_get_nothing(world, site_ids, window):
    rows = state()
    for statement in ("SELECT id, title FROM siteserver_Content", "SELECT 1 AS id UNION SELECT 2", "SELECT 1 AS id"):
        outcome = ask(statement, site_ids, **window)
        assert find_fault(outcome, statement + repr(window), world.canaries(site_ids)) == ""
    assert state() == rows


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT COUNT(*) AS n FROM siteserver_Site", [1]),
        ("SELECT COUNT(*) AS n FROM siteserver_Channel", [4]),
        ("SELECT COUNT(*) AS n FROM siteserver_Content", [7]),
        ("SELECT COUNT(*) AS n FROM siteserver_Content WHERE siteId <> 1", [0]),
        ("SELECT COUNT(*) AS n FROM siteserver_Content WHERE title LIKE 'B%'", [0]),
        ("SELECT SUM(hits) AS n FROM siteserver_Content", [170]),
        ("SELECT MAX(id) AS n FROM siteserver_Content", [107]),
        ("SELECT COUNT(*) AS n FROM siteserver_Content_1", [7]),
        ("SELECT COUNT(*) AS n FROM siteserver_Site a LEFT JOIN siteserver_Site b ON b.id <> a.id", [1]),
        ("SELECT COUNT(*) AS n FROM siteserver_Site a FULL JOIN siteserver_Content b ON 1 = 0", [8]),
        ("SELECT (SELECT COUNT(*) FROM siteserver_Site) AS n", [1]),
        ("SELECT RANK() OVER (ORDER BY id DESC) AS n FROM siteserver_Site", [1]),
        ("SELECT COUNT(*) OVER () AS n FROM siteserver_Site", [1]),
        ("WITH x AS (SELECT id FROM siteserver_Content) SELECT COUNT(*) AS n FROM x", [7]),
        ("SELECT COUNT(*) AS n FROM (SELECT id FROM siteserver_Content UNION SELECT id FROM siteserver_Site) x", [8]),
        ("SELECT COUNT(*) AS n FROM siteserver_ContentTag", [3]),
        ("SELECT COUNT(*) AS n FROM siteserver_ContentGroup", [2]),
        ("SELECT id AS n FROM siteserver_Site WHERE EXISTS (SELECT 1 FROM siteserver_Content WHERE siteId > 1)", []),
        ("SELECT COUNT(*) AS n FROM siteserver_Site WHERE CAST(siteName AS int) IS NULL", [1]),
    ],
)
def test_a_limited_key_counts_rows_of_its_site_only(world, statement, expected):
    outcome = ask(statement, (A,))
    assert [row["n"] for row in json.loads(outcome.rows)] == expected, outcome


def test_a_limited_key_does_not_learn_the_tables_of_others(world):
    names = ["model_Content", "siteserver_Content_880001", "siteserver_User", "accounts_user", "siteserver_Nothing"]
    for name in names:
        outcome = ask(f"SELECT id FROM {name}", (A,))
        assert outcome.code == "sql_not_allowed"
        assert re.fullmatch(rf"Table {name} is not open to statements(; {OPEN} is)?\.", outcome.message), outcome


def test_sites_with_one_table_see_rows_of_their_own(world):
    titles = {site: json.loads(ask("SELECT title FROM model_Content ORDER BY id", (site,)).rows)
              for site in (world.B, world.C)}  # fmt: skip
    assert titles[world.B] == [{"title": "BRAVO plan"}, {"title": "BRAVO second"}]
    assert titles[world.C] == [{"title": "CHARLIE plan"}]


def test_a_key_for_no_site_gets_no_row(world):
    for table in ("siteserver_Site", "siteserver_Channel", "siteserver_Content"):
        assert ask(f"SELECT COUNT(*) AS n FROM {table}", ()).rows == '[{"n":0}]'


def test_errors_that_values_cause_do_not_name_the_values(world, site_ids):
    for statement in (
        "SELECT CAST(title AS int) AS n FROM siteserver_Content",
        "SELECT CAST(summary AS datetime) AS n FROM siteserver_Content",
        "SELECT JSON_VALUE(title, '$.a') AS n FROM siteserver_Content",
        "SELECT hits * 9223372036854775807 AS n FROM siteserver_Content",
        "SELECT DATEADD(year, hits * 1000, addDate) AS n FROM siteserver_Content",
    ):
        outcome = ask(statement, site_ids)
        for value in ("harbour", "boat", "regatta", "padded", "metres", "bravo", "charlie"):
            assert value not in outcome.message.lower(), outcome


@pytest.mark.parametrize(
    ("condition", "site_ids", "expected"),
    [
        # The contents of another site have hits that make the sum too large.
        ("hits + 9223372036854775000 > 0", (A,), 7),
        ("CASE WHEN siteId <> 1 THEN hits + 9223372036854775807 ELSE 1 END > 0", (A,), 7),
        ("CAST(CAST(SUBSTRING(tags, 1, 1) AS int) AS int) IS NULL", (A,), 7),
        # A content in the trash does.
        ("hits + 9223372035900000000 > 0", None, 10),
        ("hits + 9223372035900000000 > 0", (A,), 7),
    ],
)
def test_rows_that_are_not_open_do_not_tell_of_themselves_by_errors(world, condition, site_ids, expected):
    outcome = ask(f"SELECT COUNT(*) AS n FROM siteserver_Content WHERE {condition}", site_ids)
    assert outcome.rows == f'[{{"n":{expected}}}]', outcome
