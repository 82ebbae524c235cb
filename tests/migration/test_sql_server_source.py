"""The reader of SQL Server, with a connection that records statements and answers with rows."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from migration.sources import open_source, sql_server
from migration.sources.source import SourceError

URL = "mssql://reader:tide%2F21@127.0.0.1/siteserver"
COLUMNS = [
    ("dbo", "siteserver_Channel", "Id"),
    ("dbo", "siteserver_Channel", "AddDate"),
    ("dbo", "odd] {name}", "Id"),
    ("dbo", "odd] {name}", "Price"),
]


class Refusal(Exception):
    """An error of the driver."""


class Connection:
    """Is also its cursor; answers statements that begin with a text with rows."""

    def __init__(self, answers):
        self.answers, self.statements, self.is_closed = answers, [], False

    def cursor(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error): ...

    def execute(self, statement):
        self.statements.append(statement)
        self._rows = next((rows for start, rows in self.answers.items() if statement.lstrip().startswith(start)), [])
        if isinstance(self._rows, Exception):
            raise self._rows

    def fetchone(self):
        return self._rows[0]

    def fetchall(self):
        return self._rows

    def close(self):
        self.is_closed = True


@pytest.fixture
def connect(monkeypatch):
    """Returns a connection with the answers, which the driver then returns, and what it was called with."""

    def connect(**answers):
        first = {"SELECT snapshot": [(answers.pop("snapshot", 1),)], "SELECT c.TABLE_SCHEMA": COLUMNS}
        connection = Connection(first | answers.pop("answers", {}))

        def driver_connect(**options):
            connection.options = options
            return connection

        driver = SimpleNamespace(Error=Refusal, connect=driver_connect)
        monkeypatch.setattr(sql_server, "import_driver", {"pymssql": driver}.get)
        return connection

    return connect


def test_connects_with_the_parts_of_the_address(connect):
    connection = connect()
    with open_source(URL, UTC) as source:
        assert source.description == "the SQL Server database siteserver on 127.0.0.1:1433"
    options = {name: connection.options[name] for name in ("server", "port", "user", "password", "database")}
    assert options == {
        "server": "127.0.0.1", "port": "1433", "user": "reader", "password": "tide/21", "database": "siteserver",
    }  # fmt: skip


@pytest.mark.parametrize(
    "allowed,statements", [(0, []), (1, ["SET TRANSACTION ISOLATION LEVEL SNAPSHOT", "BEGIN TRANSACTION"])]
)
def test_reads_a_snapshot_if_the_database_allows_it(connect, allowed, statements):
    connection = connect(snapshot=allowed)
    with open_source(URL, UTC):
        pass
    assert connection.statements[1 : 1 + len(statements)] == statements
    assert connection.statements[1 + len(statements)].lstrip().startswith("SELECT c.TABLE_SCHEMA")


def test_reads_pages_by_id(connect):
    rows = [(number, Decimal("1.50")) for number in range(1, 201)]
    table = "SELECT TOP 200 [Id], [Price] FROM [dbo].[odd]] {name}]"
    second, first = f"{table} WHERE [Id] > 200 ORDER BY [Id]", f"{table} ORDER BY [Id]"
    connection = connect(answers={second: [(205, None)], first: rows})
    with open_source(URL, UTC) as source:
        assert source.tables() == ["siteserver_channel", "odd] {name}"]
        read = list(source.rows("Odd] {name}"))
    assert connection.statements[-2:] == [first, second]
    assert [row["id"] for row in read] == [*range(1, 201), 205]
    assert read[0] == {"id": 1, "price": Decimal("1.50")}
    assert read[-1] == {"id": 205, "price": None}


def test_dates_have_no_fractions(connect):
    row = (1, datetime(2019, 3, 1, 10, 20, 30, 997000, UTC))
    connect(answers={"SELECT TOP 200 [Id], [AddDate] FROM [dbo].[siteserver_Channel]": [row]})
    with open_source(URL, UTC) as source:
        assert list(source.rows("siteserver_channel")) == [{"id": 1, "adddate": datetime(2019, 3, 1, 10, 20, 30)}]


def test_an_error_of_the_driver_is_a_sentence_without_password(connect):
    connection = connect(answers={"SELECT count(*)": Refusal("the password tide/21 has expired")})
    with pytest.raises(SourceError) as raised, open_source(URL, UTC) as source:
        source.count("siteserver_Channel")
    assert str(raised.value) == (
        "The table siteserver_Channel of the SQL Server database siteserver on 127.0.0.1:1433 cannot be read: "
        "the password … has expired"
    )
    assert connection.is_closed
