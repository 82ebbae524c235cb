import socket
import sys
from datetime import UTC
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migration.sources import open_source
from migration.sources.address import Address
from migration.sources.source import SourceError

PASSWORD = "harbour-21-tide"
SERVERS = ["mysql", "mariadb", "postgres", "postgresql", "mssql", "sqlserver"]


def reason_of(text):
    """Return why the source cannot be opened."""
    with pytest.raises(SourceError) as raised, open_source(text, UTC):
        pass
    return str(raised.value)


@pytest.mark.parametrize("text", ["", "missing-folder", "oracle://reader:x@host/name", "sqlite://", "http://host/name"])
def test_lists_the_forms_of_sources(text):
    assert reason_of(text).startswith(
        "Give a backup folder of SiteServer's command line, or the address of a database:"
    )


WRONG = [
    f"mysql://reader:{PASSWORD}@host",
    f"mysql://reader:{PASSWORD}@/name",
    f"mysql://reader:{PASSWORD}@host:port/name",
    f"mysql://reader:{PASSWORD}@host:99999999/name",
    f"mysql://reader:{PASSWORD}/@host/name",
    f"mysql://reader:{PASSWORD}@host/name/more",
    f"mysql://reader:{PASSWORD}@host/name?charset=gbk",
    f"mysql://reader:{PASSWORD}#@host/name",
    f"mysql://[reader:{PASSWORD}@host/name",
]


@pytest.mark.parametrize("url", WRONG)
def test_a_malformed_address_is_refused_without_its_password(url):
    reason = reason_of(url)
    assert reason.startswith("The address of a database must look like ")
    assert PASSWORD not in reason


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_server_that_does_not_run_is_a_sentence_without_password(scheme):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    source = open_source(f"{scheme}://reader:{PASSWORD}@127.0.0.1:{port}/siteserver", UTC)
    with pytest.raises(SourceError) as raised, source:
        pass
    assert f"database siteserver on 127.0.0.1:{port} cannot be opened: " in str(raised.value)
    assert PASSWORD not in f"{raised.value}{raised.value.__cause__}{source.description}{vars(source)}"


@pytest.mark.parametrize("scheme,package", [("mysql", "pymysql"), ("mssql", "pymssql")])
def test_names_the_file_with_a_driver_that_is_not_installed(monkeypatch, scheme, package):
    monkeypatch.setitem(sys.modules, package, None)
    reason = reason_of(f"{scheme}://reader:{PASSWORD}@127.0.0.1/siteserver")
    assert reason == f"The package {package} is not installed: run pip install -r requirements-migration.txt."


@given(*[st.text(min_size=1)] * 3)
def test_every_part_of_an_address_may_be_percent_encoded(user, password, database):
    user, password, database = (text.replace("/", "") or "x" for text in (user, password, database))
    url = "mysql://{}:{}@[::1]/{}".format(*(quote(text, safe="") for text in (user, password, database)))
    assert Address.of_url(url, 3306) == Address("::1", 3306, database, user, password)


def test_an_address_is_shown_without_user_and_password():
    address = Address.of_url(f"mysql://reader:{PASSWORD}@host/siteserver", 3306)
    assert str(address) == "siteserver on host:3306"
    assert "reader" not in repr(address) and PASSWORD not in repr(address)
    assert address.without_password(f"wrong: {PASSWORD}!") == "wrong: …!"
