from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from migration.sources.address import Address
from migration.sources.database import SECONDS, Database, import_driver


class MySQL(Database):
    """MySQL and MariaDB."""

    schema: ClassVar[str] = "c.TABLE_SCHEMA = DATABASE()"
    quotes: ClassVar[tuple[str, str]] = ("`", "`")

    def __init__(self, address: Address) -> None:
        super().__init__(f"the MySQL database {address}")
        self._address = address

    def connect(self) -> Any:
        pymysql = import_driver("pymysql")
        # In addition to its own errors, the driver raises RuntimeError for passwords that it cannot send.
        self.errors = (pymysql.MySQLError, OSError, RuntimeError, ValueError)
        address = self._address
        connection = pymysql.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password.encode(),  # the driver encodes texts as Latin-1
            database=address.database,
            charset="utf8mb4",
            connect_timeout=SECONDS,
            autocommit=True,
            conv=_conversions(pymysql),
        )
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        return connection

    def without_secrets(self, message: str) -> str:
        return self._address.without_password(message)


def _conversions(pymysql: Any) -> dict[Any, Callable[[Any], Any]]:
    kinds = pymysql.constants.FIELD_TYPE
    dates = dict.fromkeys((kinds.DATE, kinds.DATETIME, kinds.TIMESTAMP), _date)
    return {**pymysql.converters.conversions, **dates, kinds.BIT: int.from_bytes}


def _date(text: str) -> datetime | None:
    """Return None for dates such as 0000-00-00."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
