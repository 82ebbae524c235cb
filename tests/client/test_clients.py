"""What a client is made of: addresses, values on the wire, connections."""

import ast
import asyncio
import inspect
import sys
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import cms_client
import httpx
import pytest
from cms_client import AsyncClient, Client, Rule, all_of, any_of, not_, order, where
from cms_client.addresses import server_at
from cms_client.wire import checked_key, json_of, path_of, query_of

from tests.client.faulty import answer


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://host", "http://host/api/v1"),
        ("http://host/", "http://host/api/v1"),
        ("https://host:8443/api", "https://host:8443/api/v1"),
        ("https://host/api/", "https://host/api/v1"),
        ("https://host/API", "https://host/API/v1"),
        ("https://host/api/v1", "https://host/api/v1"),
        ("https://host/api/v1/", "https://host/api/v1"),
        ("https://host/cms", "https://host/cms/api/v1"),
        ("https://host/cms/api", "https://host/cms/api/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/api/v1"),
    ],
)
def test_a_server_may_be_named_in_several_ways(given, base):
    assert server_at(given, None).base_url == base


@pytest.mark.parametrize(
    "given",
    [
        "",
        "host",
        "ftp://host",
        "http://",
        "http://host?apiKey=secret",
        "http://u:secret@host",
        "http://host#x",
        "http://host:secret",
        "http://host:99999",
        "http://[::1",
    ],
)
def test_other_addresses_are_refused_without_being_shown(given):
    with pytest.raises(ValueError, match="base_url") as caught:
        server_at(given, None)
    assert "secret" not in str(caught.value)


def test_values_are_written_as_the_interface_has_them():
    zone = timezone(timedelta(hours=8))
    body = {"at": datetime(2026, 3, 1, 9, 30), "on": date(2026, 3, 1), "with": datetime(2026, 3, 1, 9, tzinfo=zone)}
    assert json_of(body | {"none": None, "text": "开放日"}).decode() == (
        '{"at": "2026-03-01 09:30:00", "on": "2026-03-01", "with": "2026-03-01T09:00:00+08:00", '
        '"none": null, "text": "开放日"}'
    )
    assert query_of({"a": True, "b": None, "c": [1, "x y"], "d": datetime(2026, 3, 1)}) == (
        "a=true&c=1%2Cx+y&d=2026-03-01+00%3A00%3A00"
    )
    assert path_of("captcha", "a/b?c", 5) == "/captcha/a%2Fb%3Fc/5"


@pytest.mark.parametrize(("value", "error"), [(object(), TypeError), (float("nan"), ValueError)])
def test_other_values_are_refused(value, error):
    with pytest.raises(error):
        json_of({"member": value})


@pytest.mark.parametrize("key", ["", "x" * 256, "ключ", "a\nb", " a", "a "])
def test_an_idempotency_key_that_servers_refuse_is_not_sent(key):
    with pytest.raises(ValueError, match="idempotency key"):
        checked_key(key)


def test_rules_are_small_values():
    press = where("author", "=", "Press office")
    assert press == Rule({"column": "author", "operator": "=", "value": "Press office"})
    assert (press | where("hits", ">", 9) | press).wire == {
        "any": [press.wire, {"column": "hits", "operator": ">", "value": "9"}, press.wire]
    }
    assert (press & ~press).wire == {"all": [press.wire, {"not": press.wire}]}
    assert any_of(all_of(press, press), press).wire == {"any": [{"all": [press.wire] * 2}, press.wire]}
    assert not_({"column": "id", "value": "1"}).wire == {"not": {"column": "id", "value": "1"}}
    assert where("id", "In", (1, 2)).wire["value"] == "1,2"
    assert where("isTop", "=", True).wire["value"] == "true"
    assert where("tags", "IsNull").wire == {"column": "tags", "operator": "IsNull"}
    assert order("addDate", desc=True) == {"column": "addDate", "desc": True}


def test_rules_that_cannot_be_said_are_refused():
    with pytest.raises(ValueError, match="needs a value"):
        where("author", "=")
    with pytest.raises(ValueError, match="comma"):
        where("author", "In", ["a, b", "c"])


@pytest.mark.parametrize("several", [[3, 5], (3, 5), {3: "", 5: ""}.keys(), (each for each in (3, 5)), range(3, 6, 2)])
def test_several_values_may_come_in_any_kind_of_collection(several):
    assert where("id", "In", several).wire["value"] == "3,5"


def test_sets_are_several_values_too():
    assert where("id", "In", {1}).wire["value"] == "1"
    assert sorted(where("id", "In", frozenset({1, 2})).wire["value"]) == [",", "1", "2"]
    assert query_of({"id": {7}, "other": (each for each in "ab")}) == "id=7&other=a%2Cb"


@pytest.mark.parametrize("value", [object(), b"1,2", {"id": 1}, [None], [[1]], [b"1"]])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(TypeError, match="no value"):
        where("id", "In", value)
    with pytest.raises(TypeError, match="no value"):
        query_of({"id": value})


@pytest.mark.parametrize("part", ["administrators", "contents", "users"])
@pytest.mark.parametrize("method", ["iterate", "list"])
def test_a_filter_that_there_is_not_is_refused_before_anything_is_sent(make, faulty, part, method):
    """It would be ignored by some servers, which would then answer everything."""
    site = [1] if part == "contents" else []
    with pytest.raises(TypeError, match="There is no filter isLocked; there are "):
        getattr(getattr(make(faulty.address, "key"), part), method)(*site, isLocked=True)
    assert faulty.requests == []


def test_both_clients_have_the_same_operations():
    with Client("http://127.0.0.1:1") as client:
        parts = [client, *(part for part in vars(client).values() if hasattr(part, "_driver"))]
        other = AsyncClient("http://127.0.0.1:1")
        others = [other, *(part for part in vars(other).values() if hasattr(part, "_driver"))]
    for one, two in zip(parts, others, strict=True):
        names = {name for name, _ in inspect.getmembers(type(one)) if not name.startswith("_")}
        assert names == {name for name, _ in inspect.getmembers(type(two)) if not name.startswith("_")}
    asyncio.run(other.close())


def test_an_operation_explains_itself():
    with Client("http://127.0.0.1:1") as client:
        assert client.contents.get.__doc__.startswith("One content.")
        assert "content_id" in inspect.signature(client.contents.get).parameters
        assert type(client.contents).get.__doc__ == client.contents.get.__doc__
        assert type(client.contents).iterate.__doc__ == client.contents.iterate.__doc__


def test_a_connection_serves_many_requests(address):
    with Client(address) as client:
        for _ in range(3):
            assert client.ping()
        assert len(client._http._transport._pool.connections) == 1


def test_a_client_of_the_caller_stays_open(address):
    with httpx.Client(timeout=30) as http:
        with Client(address, http=http) as client:
            assert client.ping()
        assert not http.is_closed


def test_an_async_client_ends_its_own_and_leaves_the_callers(address):
    async def ask():
        async with AsyncClient(address) as own:
            assert await own.ping()
        assert own._http.is_closed
        async with httpx.AsyncClient() as http:
            async with AsyncClient(address, http=http) as client:
                assert await client.ping()
            assert not http.is_closed

    asyncio.run(ask())


def test_an_async_client_asks_many_things_at_once(address, museum):
    async def ask():
        async with AsyncClient(address, museum.key) as client:
            return await asyncio.gather(*(client.contents.get(1, 11, 30) for _ in range(8)))

    assert len({record["id"] for record in asyncio.run(ask())}) == 1


def test_the_waits_of_an_unmade_up_client_are_real_ones(faulty):
    """Each of the clients waits by what it is given, which is the standard library's where nothing else is."""
    assert inspect.signature(Client).parameters["sleep"].default.__module__ == "time"
    assert inspect.signature(AsyncClient).parameters["sleep"].default is asyncio.sleep
    faulty.acts[:] = [answer(503, {}, Retry_After="0")]
    slept = []
    with Client(faulty.address, sleep=slept.append) as client:
        client.ping()
    assert len(slept) == 1


def test_the_package_is_typed_and_stands_on_httpx_alone():
    folder = Path(cms_client.__file__).parent
    assert (folder / "py.typed").exists()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                top = name.split(".")[0]
                assert top in sys.stdlib_module_names | {"httpx", "cms_client"}, f"{path.name} imports {name}"
