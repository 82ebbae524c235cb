from typing import Any, ClassVar

from migration.sources.address import Address
from migration.sources.database import SECONDS, Database, import_driver

_ALLOWS_SNAPSHOTS = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"


class SQLServer(Database):
    """Microsoft SQL Server; without ALLOW_SNAPSHOT_ISOLATION, changes during the migration are seen."""

    quotes: ClassVar[tuple[str, str]] = ("[", "]")
    page: ClassVar[str] = "SELECT TOP {number} {columns} FROM {table}{where} ORDER BY {key}"

    def __init__(self, address: Address) -> None:
        super().__init__(f"the SQL Server database {address}")
        self._address = address

    def connect(self) -> Any:
        pymssql = import_driver("pymssql")
        self.errors = (pymssql.Error, OSError, ValueError)
        address = self._address
        connection = pymssql.connect(
            server=address.host,
            port=str(address.port),
            user=address.user,
            password=address.password,
            database=address.database,
            charset="UTF-8",
            login_timeout=SECONDS,
            autocommit=True,
        )
        with connection.cursor() as cursor:
            cursor.execute(_ALLOWS_SNAPSHOTS)
            if cursor.fetchone() == (1,):
                cursor.execute("SET TRANSACTION ISOLATION LEVEL SNAPSHOT")
                cursor.execute("BEGIN TRANSACTION")
        return connection

    def without_secrets(self, message: str) -> str:
        return self._address.without_password(message)
