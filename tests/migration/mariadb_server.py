"""A MariaDB of the tests' own, on a port of its own."""

import os
import shutil
import signal
import socket
import subprocess
from urllib.parse import quote

import pymysql
import pytest

from tools.programs import SECONDS, Program

_PROGRAMS = ("mariadb-install-db", "mariadbd")
_OPTIONS = ("--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve")


class MariaDBServer:
    """A running server with an empty password for root, and an account that may only read."""

    READER, PASSWORD = "reader", "tide/港口:p@ss?#1"

    def __init__(self, folder):
        missing = [name for name in _PROGRAMS if shutil.which(name) is None]
        if missing:
            assert os.environ.get("CI") != "true", f"{missing[0]} is not installed."
            pytest.skip(f"{missing[0]} is not installed")
        # The path of a socket may have about 100 characters.
        data = folder / "data"
        user = ["--user=root"] if os.geteuid() == 0 else []
        install = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db", *user]
        done = subprocess.run(
            [*install, "--auth-root-authentication-method=normal"], capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        place = [f"--datadir={data}", f"--socket={folder / 's'}", f"--pid-file={folder / 'pid'}"]
        address = ["--bind-address=127.0.0.1", f"--port={self.port}"]
        self._program = Program(["mariadbd", "--no-defaults", *place, *address, *user, *_OPTIONS])
        self._program.await_lines("ready for connections")
        self.execute(
            f"CREATE USER {self.READER}@'%' IDENTIFIED BY '{self.PASSWORD}'",
            f"GRANT SELECT ON *.* TO {self.READER}@'%'",
        )

    def execute(self, *statements, database=None):
        """Execute the statements as root, and return the rows of the last one."""
        root = pymysql.connect(host="127.0.0.1", port=self.port, user="root", database=database, autocommit=True)
        with root, root.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()

    def url(self, database):
        """Return an address of the database with all rights, for `write_mysql`."""
        return f"mysql://root@127.0.0.1:{self.port}/{database}"

    def reading_url(self, database, password=PASSWORD):
        return f"mysql://{self.READER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def stop(self):
        self._program.end(signal.SIGTERM)
