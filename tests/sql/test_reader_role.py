"""The database account on PostgreSQL that runs clients' statements: made by one command, refused if it sees more."""

import io
import logging
import os
from contextlib import contextmanager

import psycopg
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from cms_api.sql_endpoint import catalogue, checks, reader_role, reader_setup, role_check
from cms_api.sql_endpoint.postgresql_views import fingerprint, quote_text, view_columns
from sql_sandbox.refusals import Unavailable
from sql_sandbox.running.postgresql_reader import SETTINGS
from tests import worlds
from tests.factories import ChannelFactory, ContentFactory, SiteFactory, UserFactory

on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="roles and views are PostgreSQL's")
TABLES = catalogue.choose_tables(catalogue.OPEN_BY_DEFAULT)
ADVICE = "as a superuser of the database server, run ALTER ROLE \"{}\" SET temp_file_limit = '64MB'"
# A second role of a test; roles are shared by whatever else tests on this server.
OTHER = f"cms_test_other_role_{os.getpid()}"


def run_command(*options):
    """The lines of the command."""
    output = io.StringIO()
    call_command("set_up_sql_reader", *options, stdout=output)
    return output.getvalue().splitlines()


@pytest.fixture(scope="module")
def set_up(django_db_setup, django_db_blocker):
    """The reader is set up; role, schema and views are gone afterwards, since roles belong to the whole cluster."""
    with django_db_blocker.unblock():
        worlds.leave()
        run_command()
        try:
            yield
        finally:
            worlds.leave()
            run_command("--remove")


@pytest.fixture
def reader(set_up):
    """A connection of the reader."""
    with psycopg.connect(**reader_role.connection_parameters(), autocommit=True) as connected:
        yield connected


@pytest.fixture
def superuser(set_up):
    """A connection of the tests' own account in a transaction that is undone."""
    parameters = connection.get_connection_params()
    with psycopg.connect(**parameters) as connected:
        if not connected.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()[0]:
            pytest.skip("needs a superuser, who can become the reader in an open transaction")
        yield connected
        connected.rollback()


def fault_of(superuser, *statements, time_zone=""):
    """What is found wrong with the reader after the statements, within their transaction."""
    role = f'"{reader_role.reader_name()}"'
    for statement in statements:
        superuser.execute(statement.replace("READER", role).replace("OTHER", OTHER))
    superuser.execute(f"SET LOCAL SESSION AUTHORIZATION {role}")
    return role_check.find_fault(superuser, TABLES, time_zone)


# ---- The account


def test_the_name_follows_from_the_database():
    assert reader_role.role_name("museum") == "museum_sql_reader"


@pytest.mark.parametrize("name", ["x" * 52, "x" * 53, "x" * 63, "博物馆" * 7])
def test_the_name_fits_into_the_63_bytes_of_postgresql(name):
    assert len(reader_role.role_name(name).encode()) <= 63
    assert reader_role.role_name(name).endswith("_sql_reader")


def test_long_names_of_two_databases_stay_apart():
    assert reader_role.role_name("x" * 60 + "a") != reader_role.role_name("x" * 60 + "b")


def test_the_password_follows_from_secret_key_and_name(settings):
    settings.SECRET_KEY = "one"
    first = reader_role.role_password("museum_sql_reader")
    assert first == reader_role.role_password("museum_sql_reader")
    assert len(first) == 64
    assert first != reader_role.role_password("library_sql_reader")
    settings.SECRET_KEY = "two"
    assert first != reader_role.role_password("museum_sql_reader")


def test_an_address_of_the_operator_replaces_the_account(settings):
    settings.CMS_SQL_READER_URL = "postgres://visitor:p%40ss@db.example.org:6432/museum?sslmode=require"
    assert reader_role.connection_parameters() == {
        "connect_timeout": 2,
        "user": "visitor",
        "password": "p@ss",
        "host": "db.example.org",
        "port": "6432",
        "dbname": "museum",
        "sslmode": "require",
    }


@on_postgresql
def test_the_reader_connects_where_the_service_does(settings):
    service, found = connection.get_connection_params(), reader_role.connection_parameters()
    assert {name: found.get(name) for name in ("host", "port", "dbname")} == {
        name: service.get(name) for name in ("host", "port", "dbname")
    }
    assert found["user"] == f"{service['dbname']}_sql_reader"
    assert not {"cursor_factory", "context", "options", "prepare_threshold"} & found.keys()


@pytest.mark.parametrize("text", ["back\\slash", "nul\0"])
def test_a_literal_has_no_character_that_could_end_it(text):
    with pytest.raises(ValueError, match="is not allowed in a literal"):
        quote_text(text)


def test_a_quote_in_a_literal_is_doubled():
    assert quote_text("it's") == "'it''s'"


# ---- Setting up


@on_postgresql
def test_setting_up_again_changes_nothing_but_says_so(set_up, transactional_db):
    before = fence(connection)
    lines = run_command()
    assert fence(connection) == before
    assert [line for line in lines if line.startswith("no change")]
    assert not [line for line in lines if line.startswith("skipped")]
    assert lines[-1].startswith(f"checked: signed in as {reader_role.reader_name()}")


def fence(connected):
    """The role with its attributes and settings, and the grants and options of the views."""
    with connected.cursor() as cursor:
        cursor.execute(
            "SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, "
            "rolconnlimit, rolbypassrls, rolconfig FROM pg_roles WHERE rolname = %s "
            "UNION ALL SELECT relname, false, false, false, false, false, false, 0, false, "
            "relacl::text[] || reloptions FROM pg_class WHERE relnamespace = 'cms_sql'::regnamespace ORDER BY 1",
            [reader_role.reader_name()],
        )
        return cursor.fetchall()


@on_postgresql
def test_the_role_can_do_nothing_but_sign_in(reader):
    row = reader.execute(
        "SELECT rolcanlogin, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, "
        "rolconnlimit FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    assert row == (True, False, False, False, False, False, False, 50)


@on_postgresql
def test_the_role_brings_its_limits_along(reader, settings):
    limits = {
        "default_transaction_read_only": "on",
        "statement_timeout": "10s",
        "lock_timeout": "500ms",
        "idle_in_transaction_session_timeout": "10s",
        "work_mem": "4MB",
        "temp_file_limit": "64MB",
        "max_parallel_workers_per_gather": "0",
        "jit": "off",
        "search_path": "pg_catalog, pg_temp",
    }
    assert {name: reader.execute(f"SHOW {name}").fetchone()[0] for name in limits} == limits


@on_postgresql
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM public.accounts_user",
        "SELECT * FROM public.contents_content",
        "SELECT pg_sleep(0)",
        "SELECT lo_create(0)",
        "BEGIN READ WRITE; CREATE TEMPORARY TABLE t (a int)",
        "BEGIN READ WRITE; CREATE TABLE public.t (a int)",
        "BEGIN READ WRITE; CREATE VIEW cms_sql.t AS SELECT 1",
        "BEGIN READ WRITE; UPDATE cms_sql.siteserver_contentgroup SET description = ''",
    ],
)
def test_the_reader_is_not_permitted_to(reader, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(statement)


@on_postgresql
def test_the_password_reaches_the_server_as_a_verifier(set_up, transactional_db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [reader_role.reader_name()])
        assert cursor.fetchone()[0].startswith("SCRAM-SHA-256$")


@on_postgresql
def test_what_is_printed_does_the_same(set_up, transactional_db):
    run_command()
    before = fence(connection)
    run_command("--remove")
    sql = "\n".join(run_command("--print", "--show-password"))
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as connected:
        connected.execute(sql)
    assert fence(connection) == before
    assert checks.look_at_reader() is None


@on_postgresql
def test_a_print_changes_nothing_and_has_no_password(set_up, transactional_db):
    before = fence(connection)
    sql = "\n".join(run_command("--print"))
    assert "PASSWORD '<password>'" in sql
    assert reader_role.role_password(reader_role.reader_name()) not in sql
    assert "DROP SCHEMA" in "\n".join(run_command("--remove", "--print"))
    assert fence(connection) == before


@on_postgresql
def test_removal_leaves_neither_role_nor_schema(set_up, transactional_db):
    try:
        assert [line.split(":")[0] for line in run_command("--remove")] == ["done", "done"]
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_roles WHERE rolname = %s", [reader_role.reader_name()])
            assert cursor.fetchone() == (0,)
        assert "cannot sign in" in str(checks.look_at_reader())
        assert [line.split(":")[0] for line in run_command("--remove")] == ["no change", "no change"]
    finally:
        run_command()


@contextmanager
def other_role(attributes, *grants):
    """The service's connection acts as another role while the block lasts."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {OTHER} {attributes}")
        for grant in grants:
            cursor.execute(grant)
        try:
            cursor.execute(f"SET ROLE {OTHER}")
            yield
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute(f"DROP OWNED BY {OTHER}")
            cursor.execute(f"DROP ROLE {OTHER}")


@on_postgresql
def test_an_account_that_may_make_no_roles_is_told_to_print(set_up, transactional_db, settings):
    with other_role("NOCREATEROLE"), pytest.raises(CommandError, match=r"may not create roles.*--remove --print`"):
        run_command("--remove")
    settings.CMS_SQL_TABLES = ["siteserver_Site"]
    with other_role("NOCREATEROLE"), pytest.raises(CommandError, match=r"may not create roles.*reader --print --show"):
        run_command()


@on_postgresql
def test_an_account_that_may_make_no_roles_has_nothing_to_do_where_all_is_set_up(set_up, transactional_db):
    with other_role("NOCREATEROLE"):
        assert run_command()[-1].startswith("checked: signed in as")


@on_postgresql
def test_a_service_that_may_set_it_limits_the_temporary_files(set_up, transactional_db):
    run_command("--remove")
    database = connection.settings_dict["NAME"]
    grants = (
        f'GRANT CREATE ON DATABASE "{database}" TO {OTHER}',
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {OTHER}",
        f"GRANT SET ON PARAMETER temp_file_limit TO {OTHER}",  # as docs/operations.md has it
    )
    with other_role("CREATEROLE", *grants):
        lines = run_command()
        assert checks.advise_limit() == ""
        run_command("--remove")
    assert not any("temp_file_limit" in line for line in lines if not line.startswith("done"))
    run_command()


@on_postgresql
def test_what_the_service_may_not_do_is_skipped_with_a_reason(set_up, transactional_db):
    run_command("--remove")
    database = connection.settings_dict["NAME"]
    grants = (
        f'GRANT CREATE ON DATABASE "{database}" TO {OTHER}',
        f'GRANT TEMPORARY ON DATABASE "{database}" TO PUBLIC',
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {OTHER}",
    )
    with other_role("CREATEROLE", *grants):
        lines = run_command()
        run_command("--remove")
    skipped = [line for line in lines if line.startswith("skipped")]
    assert [line.split("(")[0] for line in skipped] == [
        "skipped: temp_file_limit of the role is 64MB ",
        "skipped: PUBLIC may not create temporary tables ",
    ]
    assert lines[-1].startswith("checked")
    assert lines[-2] == f"to do: {ADVICE.format(reader_role.reader_name())}"
    run_command()


@on_postgresql
def test_an_account_of_the_operator_only_gets_the_views(set_up, transactional_db, settings):
    run_command("--remove")
    service = connection.get_connection_params()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {OTHER} LOGIN PASSWORD 'secret'")
    try:
        host, port = service.get("host", "127.0.0.1"), service.get("port", 5432)
        settings.CMS_SQL_READER_URL = f"postgres://{OTHER}:secret@{host}:{port}/{service['dbname']}"
        lines = run_command()
        assert lines[0].startswith("done: schema")
        assert lines[-1].startswith(f"checked: signed in as {OTHER}")
        assert len(run_command("--remove")) == 1
    finally:
        settings.CMS_SQL_READER_URL = ""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {OTHER}")
        run_command()


@on_postgresql
def test_an_account_of_the_operator_has_to_exist(set_up, transactional_db, settings):
    settings.CMS_SQL_READER_URL = "postgres://nobody_of_that_name@127.0.0.1/museum"
    with pytest.raises(CommandError, match=r"nobody_of_that_name.*does not exist"):
        run_command()


@on_postgresql
def test_other_tables_need_the_command_again(set_up, transactional_db, settings):
    settings.CMS_SQL_TABLES = [*catalogue.OPEN_BY_DEFAULT, "siteserver_User"]
    try:
        assert str(checks.look_at_reader()).endswith("(cms_sql.siteserver_user is missing)")
        assert run_command()[-1].startswith("checked")
        settings.CMS_SQL_TABLES = ["siteserver_Site"]
        assert "is not open" in str(checks.look_at_reader())
        run_command()
        assert checks.look_at_reader() is None
    finally:
        settings.CMS_SQL_TABLES = list(catalogue.OPEN_BY_DEFAULT)
        run_command()


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="is about SQLite")
def test_on_sqlite_there_is_nothing_to_set_up():
    assert run_command() == ["Nothing to set up: on SQLite, statements use a connection that cannot write."]
    assert checks.check_reader(databases=["default"]) == []


@on_postgresql
def test_the_system_check_warns_with_the_reason(set_up, transactional_db, settings):
    assert checks.check_reader(databases=["default"]) == []
    assert checks.check_reader() == []
    settings.CMS_SQL_TABLES = ["siteserver_Site"]
    warning = checks.check_reader(databases=["default"])[0]
    assert "its views do not match the open tables (cms_sql.siteserver_channel is not open)" in warning.msg
    settings.CMS_SQL_SLOTS = 0
    assert checks.check_reader(databases=["default"]) == []


@on_postgresql
def test_a_role_without_a_limit_of_temporary_files_is_a_warning_that_says_what_to_run(set_up, transactional_db, caplog):
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER ROLE "{reader_role.reader_name()}" RESET temp_file_limit')
    try:
        (warning,) = checks.check_reader(databases=["default"])
        checks.log_at_start(logging.getLogger("tests.start"))
        assert checks.look_at_reader() is None
    finally:
        run_command()
    assert warning.id == "cms_api.W002"
    assert ADVICE.format(reader_role.reader_name()) in warning.hint
    assert ADVICE.format(reader_role.reader_name()) in caplog.text
    assert checks.check_reader(databases=["default"]) == []


@on_postgresql
def test_the_role_and_every_statement_have_the_same_limits(reader):
    assert {name: reader.execute(f"SHOW {name}").fetchone()[0] for name in SETTINGS} == {
        name: value.strip("'") for name, value in SETTINGS.items()
    }


# ---- What the check of the account finds


@on_postgresql
def test_the_account_is_accepted_as_it_was_set_up(reader, settings):
    role_check.verify_reader(reader, TABLES, settings.TIME_ZONE)


@on_postgresql
def test_the_reason_goes_to_the_client_and_the_detail_to_the_log(reader, caplog):
    with pytest.raises(Unavailable) as refusal:
        role_check.verify_reader(reader, TABLES[1:])
    assert refusal.value.message == (
        "The SQL endpoint is closed: its views do not match the open tables; the operator can run manage.py "
        "set_up_sql_reader."
    )
    assert "cms_sql.siteserver_site is not open" in caplog.text


@on_postgresql
def test_the_service_itself_is_not_accepted(superuser):
    assert role_check.find_fault(superuser, TABLES).reason == "its database account has rights beyond signing in"


# what is widened or changed, a part of what is found
WIDENED = [
    (["GRANT SELECT ON accounts_user TO READER"], "table accounts_user"),
    (["GRANT SELECT (password) ON accounts_user TO READER"], "accounts_user"),
    (["GRANT SELECT ON accounts_user TO PUBLIC"], "can read more than the catalogue (public.accounts_user)"),
    (["GRANT SELECT (title) ON contents_content TO PUBLIC"], "public.contents_content"),
    (["GRANT USAGE ON SEQUENCE contents_content_id_seq TO PUBLIC"], "public.contents_content_id_seq"),
    (["CREATE MATERIALIZED VIEW m AS SELECT 1", "GRANT SELECT ON m TO PUBLIC"], "public.m"),
    (["CREATE SCHEMA aside", "CREATE TABLE aside.t (a int)", "GRANT SELECT ON aside.t TO PUBLIC"], "aside.t"),
    (["GRANT INSERT ON cms_sql.siteserver_tag TO READER"], "can write (cms_sql.siteserver_tag)"),
    (["GRANT UPDATE (description) ON contents_contentgroup TO PUBLIC"], "can write (public.contents_contentgroup)"),
    (["GRANT TRUNCATE ON contents_content TO PUBLIC"], "can write (public.contents_content)"),
    (["CREATE ROLE OTHER", "GRANT OTHER TO READER"], "a member of a role"),
    (["GRANT pg_read_all_data TO READER"], "pg_read_all_data"),
    (["GRANT pg_read_all_stats TO READER"], "pg_read_all_stats"),
    (["ALTER ROLE READER SUPERUSER"], "SUPERUSER"),
    (["ALTER ROLE READER CREATEROLE"], "CREATEROLE"),
    (["ALTER ROLE READER CREATEDB"], "CREATEDB"),
    (["ALTER ROLE READER REPLICATION"], "REPLICATION"),
    (["ALTER ROLE READER BYPASSRLS"], "BYPASSRLS"),
    (["GRANT CREATE ON SCHEMA public TO PUBLIC"], "can create objects (schema public)"),
    (["GRANT CREATE ON SCHEMA cms_sql TO READER"], "can create objects (schema cms_sql)"),
    (["GRANT CREATE ON SCHEMA pg_catalog TO PUBLIC"], "can create objects (schema pg_catalog)"),
    (["GRANT USAGE ON SCHEMA public TO READER"], "schema public"),
    (["CREATE VIEW cms_sql.extra AS SELECT 1 AS a"], "cms_sql.extra is not open"),
    (["CREATE TABLE cms_sql.extra (a int)"], "cms_sql.extra is not open"),
    (["DROP VIEW cms_sql.siteserver_tag"], "cms_sql.siteserver_tag is missing"),
    (["DROP SCHEMA cms_sql CASCADE"], "no usable schema cms_sql"),
    (["REVOKE USAGE ON SCHEMA cms_sql FROM READER"], "no usable schema cms_sql"),
    (["REVOKE SELECT ON cms_sql.siteserver_tag FROM READER"], "cms_sql.siteserver_tag cannot be read"),
    (["ALTER VIEW cms_sql.siteserver_tag RESET (security_barrier)"], "is not a security barrier"),
    (["ALTER VIEW cms_sql.siteserver_tag SET (security_barrier = false)"], "is not a security barrier"),
    (["ALTER VIEW cms_sql.siteserver_tag SET (security_invoker = yes)"], "is not a security barrier"),
    (["ALTER VIEW cms_sql.siteserver_tag RENAME usenum TO used"], "does not have the columns of the catalogue"),
    (["COMMENT ON VIEW cms_sql.siteserver_tag IS '0123 UTC'"], "was created by another version"),
    (["COMMENT ON VIEW cms_sql.siteserver_tag IS NULL"], "was created by another version"),
    (["ALTER TABLE contents_content OWNER TO READER"], "owns database objects (table contents_content)"),
    (
        ["GRANT ALL ON SCHEMA cms_sql TO READER", "ALTER VIEW cms_sql.siteserver_tag OWNER TO READER"],
        "owns database objects",
    ),
    (
        ["CREATE FUNCTION peep() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM accounts_user'"],
        "with the rights of another account (public.peep)",
    ),
    (["GRANT SELECT ON pg_authid TO PUBLIC"], "secrets of the database server (pg_authid)"),
    (["GRANT SELECT (rolpassword) ON pg_authid TO PUBLIC"], "secrets of the database server (pg_authid)"),
    (["GRANT SELECT ON pg_statistic TO PUBLIC"], "secrets of the database server (pg_statistic)"),
    (["GRANT EXECUTE ON FUNCTION pg_read_file(text) TO PUBLIC"], "reach files or control the database server"),
    (["GRANT EXECUTE ON FUNCTION pg_ls_dir(text) TO READER"], "function pg_ls_dir(text)"),
    (["ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO READER"], "default privileges"),
    (["CREATE FOREIGN DATA WRAPPER away", "GRANT USAGE ON FOREIGN DATA WRAPPER away TO PUBLIC"], "server (away)"),
    (
        [
            "CREATE FOREIGN DATA WRAPPER away",
            "CREATE SERVER far FOREIGN DATA WRAPPER away",
            "GRANT USAGE ON FOREIGN SERVER far TO PUBLIC",
        ],
        "foreign server (far)",
    ),
]


@on_postgresql
@pytest.mark.parametrize(("statements", "found"), WIDENED, ids=lambda value: str(value)[:60])
def test_an_account_that_sees_more_is_refused(superuser, statements, found):
    assert found in str(fault_of(superuser, *statements))


@on_postgresql
def test_an_account_with_a_view_that_shows_more_is_refused(superuser):
    columns = superuser.execute("SELECT pg_get_viewdef('cms_sql.siteserver_contentgroup'::regclass)").fetchone()[0]
    wider = columns.replace(
        "s.description\n", "s.description, (SELECT min(password) FROM accounts_user) AS secret\n", 1
    )
    assert wider != columns
    statement = f"CREATE OR REPLACE VIEW cms_sql.siteserver_contentgroup WITH (security_barrier = true) AS {wider}"
    assert "does not have the columns of the catalogue" in str(fault_of(superuser, statement))


@on_postgresql
def test_an_extension_that_opens_connections_is_refused(superuser):
    if not superuser.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'dblink'").fetchone():
        pytest.skip("the server has no dblink")
    assert "reaches beyond the database (dblink." in str(fault_of(superuser, "CREATE EXTENSION dblink"))


@on_postgresql
@pytest.mark.parametrize("extension", ["pg_trgm", "citext", "pgcrypto"])
def test_an_honest_extension_does_no_harm(superuser, extension):
    if not superuser.execute("SELECT 1 FROM pg_available_extensions WHERE name = %s", [extension]).fetchone():
        pytest.skip(f"the server has no {extension}")
    assert fault_of(superuser, f"CREATE EXTENSION {extension}") is None


@on_postgresql
def test_temporary_tables_are_no_fault_since_a_read_only_transaction_makes_none(superuser, reader):
    grant = f'GRANT TEMPORARY ON DATABASE "{connection.settings_dict["NAME"]}" TO PUBLIC'
    assert fault_of(superuser, grant) is None
    superuser.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        superuser.execute("CREATE TEMPORARY TABLE t (a int)")


@on_postgresql
def test_views_of_another_time_zone_are_out_of_date(superuser):
    fault = fault_of(superuser, time_zone="Asia/Shanghai")
    assert (fault.reason, fault.detail) == (
        "its views are out of date",
        "cms_sql.siteserver_channel returns dates of UTC",
    )


# ---- What the views show


@pytest.fixture
def two_sites(set_up, transactional_db):
    """Two sites with a content and a tag each."""
    return [
        ContentFactory(channel=ChannelFactory(site=SiteFactory()), title=title, tags=tag, content="<p>Body</p>")
        for title, tag in (("12", "ship"), ("Not a number", "boat"))
    ]


def rows(reader, statement, site_ids):
    with reader.transaction():
        if site_ids is not None:
            reader.execute("SELECT set_config('cms_sql.site_ids', %s, true)", [site_ids])
        return reader.execute(statement).fetchall()


@on_postgresql
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_view_has_the_columns_and_types_of_the_catalogue(reader, two_sites, table):
    cursor = reader.execute(f"SELECT * FROM cms_sql.{table.view_name} LIMIT 0")
    types = {20: "bigint", 25: "text", 1114: "timestamp without time zone"}
    assert [(column.name, types[column.type_code]) for column in cursor.description] == view_columns(table)
    assert len(rows(reader, f"SELECT * FROM cms_sql.{table.view_name}", "*")) >= len(two_sites) * bool(
        table.name != "siteserver_ContentGroup"
    )


@on_postgresql
def test_rows_are_those_of_the_sites_of_the_transaction(reader, two_sites):
    one, two = two_sites
    for name, site in (("site", "id"), ("channel", "siteid"), ("content", "siteid"), ("tag", "siteid")):
        statement = f"SELECT DISTINCT {site} FROM cms_sql.siteserver_{name} ORDER BY 1"
        assert rows(reader, statement, "*") == [(one.site_id,), (two.site_id,)]
        assert rows(reader, statement, str(two.site_id)) == [(two.site_id,)]
        assert rows(reader, statement, f"{one.site_id},{two.site_id}") == [(one.site_id,), (two.site_id,)]
        # Also after a transaction that had the setting.
        assert rows(reader, statement, None) == rows(reader, statement, "") == rows(reader, statement, "0") == []


@on_postgresql
def test_people_are_for_keys_of_every_site(set_up, transactional_db, settings):
    UserFactory()
    settings.CMS_SQL_TABLES = ["siteserver_User"]
    try:
        run_command()
        with psycopg.connect(**reader_role.connection_parameters()) as connected:
            counts = [rows(connected, "SELECT count(*) FROM cms_sql.siteserver_user", ids) for ids in ("*", "1", None)]
        assert counts == [[(1,)], [(0,)], [(0,)]]
    finally:
        settings.CMS_SQL_TABLES = list(catalogue.OPEN_BY_DEFAULT)
        run_command()


@on_postgresql
def test_no_condition_sees_rows_of_other_sites(reader, two_sites):
    # Without the barrier the conversion would meet the other site's title, and the error would tell it.
    statement = "SELECT title FROM cms_sql.siteserver_content WHERE title::int > 0"
    assert rows(reader, statement, str(two_sites[0].site_id)) == [("12",)]
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        rows(reader, statement, "*")


def plan(reader, statement):
    with reader.transaction():
        reader.execute("SELECT set_config('cms_sql.site_ids', '1', true)")
        reader.execute("SET LOCAL enable_seqscan = off")
        return "\n".join(line for (line,) in reader.execute(f"EXPLAIN (COSTS OFF) {statement}"))


@on_postgresql
@pytest.mark.parametrize(
    ("condition", "index"),
    [
        ("id = 5", "contents_content_pkey"),
        ("id IN (5, 6)", "contents_content_pkey"),
        ("channelid = 3", "(channel_id = 3)"),
    ],
)
def test_conditions_on_numbers_reach_the_indexes(reader, condition, index):
    for view in ("siteserver_content", "siteserver_content_approved"):
        text = plan(reader, f"SELECT title FROM cms_sql.{view} WHERE {condition}")
        assert "Index Cond" in text
        assert index in text


@on_postgresql
def test_the_setting_is_read_once_a_statement_and_a_body_only_where_it_is_asked_for(reader):
    text = plan(reader, "SELECT title FROM cms_sql.siteserver_content")
    assert text.count("InitPlan") == 2
    assert "contents_contentbody" not in text
    assert "contents_contentbody" in plan(reader, "SELECT content FROM cms_sql.siteserver_content")


# ---- Migrations


def view_ids():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, oid FROM pg_class WHERE relnamespace = 'cms_sql'::regnamespace ORDER BY 1")
        return dict(cursor.fetchall())


@on_postgresql
def test_a_migration_makes_the_views_anew(set_up, transactional_db):
    run_command()
    before = view_ids()
    try:
        # Of an app whose columns no view reads.
        call_command("migrate", "pages", "0003", verbosity=0)
        between = view_ids()
    finally:
        call_command("migrate", verbosity=0)
    assert between.keys() == before.keys()
    assert not set(between.values()) & set(before.values())
    assert checks.look_at_reader() is None


@on_postgresql
def test_a_migrate_without_migrations_leaves_good_views_alone(set_up, transactional_db):
    before = view_ids()
    call_command("migrate", verbosity=0)
    assert view_ids() == before


@on_postgresql
def test_a_migrate_mends_views_of_another_version(set_up, transactional_db):
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON VIEW cms_sql.siteserver_tag IS 'old'")
    assert "another version" in str(checks.look_at_reader())
    call_command("migrate", verbosity=0)
    assert checks.look_at_reader() is None


@on_postgresql
def test_without_the_views_a_column_can_change(set_up, transactional_db):
    change = "ALTER TABLE contents_content ALTER COLUMN author TYPE varchar(256)"
    with connection.cursor() as cursor:
        with pytest.raises(Exception, match="used by a view"):
            cursor.execute(change)
        reader_setup.drop_views(connection)
        assert view_ids() == {}
        cursor.execute(change)
        cursor.execute(change.replace("256", "255"))
    reader_setup.refresh_views(connection)
    assert checks.look_at_reader() is None


@on_postgresql
def test_views_that_cannot_be_made_do_not_fail_the_migration(set_up, transactional_db, settings, caplog):
    settings.CMS_SQL_TABLES = ["no_such_table"]
    call_command("migrate", verbosity=0)
    assert "could not be created" in caplog.text


@on_postgresql
def test_an_address_that_cannot_be_read_does_not_fail_the_migration(set_up, transactional_db, settings, caplog):
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON VIEW cms_sql.siteserver_tag IS 'old'")
    settings.CMS_SQL_READER_URL = "postgres://reader:secret"
    call_command("migrate", verbosity=0)
    assert "CMS_SQL_READER_URL cannot be read" in caplog.text
    assert "secret" not in caplog.text
    settings.CMS_SQL_READER_URL = ""
    call_command("migrate", verbosity=0)


def test_a_definition_has_a_fingerprint_of_its_own():
    assert len({fingerprint(table) for table in catalogue.TABLES}) == len(catalogue.TABLES)


def test_the_signals_that_are_followed_are_sent():
    # Django sends them for apps that have models only.
    assert apps.get_app_config("contents").models_module is not None
