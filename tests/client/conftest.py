"""A real server with the sample site, and both clients of it."""

import shutil
import socket

import pytest
from cms_client import Client, Retries

from tests.client.both import blocking_client
from tests.client.faulty import Faulty
from tests.client.original import Original
from tools.servers import Installation


@pytest.fixture(scope="session")
def museum(tmp_path_factory):
    """An installation with the sample site and a key for everything."""
    folder = tmp_path_factory.mktemp("museum")
    installation = Installation(folder / "data", sample_site=True)
    installation.as_it_came = shutil.copytree(folder / "data", folder / "as it came")
    installation.key = installation.manage("create_api_key", "client tests", "--all-scopes")
    return installation


@pytest.fixture(scope="session")
def address(museum):
    """Where it is served."""
    with museum.serve() as server:
        yield server.address


@pytest.fixture(params=["sync", "async"])
def make(request):
    """Makes clients of one kind, asked alike; `client.waits` has the waits that they would have made."""
    made = []

    def make(base_url, api_key=None, *, retries=None, **options):
        retries = retries or Retries(chance=lambda: 0)
        waits = []
        if request.param == "sync":
            client = Client(base_url, api_key, sleep=waits.append, retries=retries, **options)
        else:
            client = blocking_client(base_url, api_key, waits=waits, retries=retries, **options)
        client.waits = waits
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make, address, museum):
    """A client of the real server."""
    return make(address, museum.key)


@pytest.fixture
def faulty(address):
    """A server before the real one, at which connections break as a test wants it."""
    with Faulty(address) as server:
        yield server


@pytest.fixture
def refusing():
    """An address at which connections are refused: nobody else can take its port, and nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield "http://{}:{}".format(*taken.getsockname())


@pytest.fixture
def original():
    """A stand-in that answers as the original does."""
    with Original() as server:
        yield server
