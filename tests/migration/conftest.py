import pytest

from tests.migration.mariadb_server import MariaDBServer


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory):
    server = MariaDBServer(tmp_path_factory.mktemp("db"))
    yield server
    server.stop()
