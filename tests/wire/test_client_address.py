"""The address of the client: who is believed, and how far."""

import re
from types import SimpleNamespace

import pytest
from django.test import RequestFactory

from core.lib.client_address import client_address, network_of, read_proxies

PROXIES = ["10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48", "::ffff:172.16.0.0/108"]


def address(peer, forwarded=None):
    extra = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    return client_address(RequestFactory().get("/", REMOTE_ADDR=peer, **extra))


# peer, X-Forwarded-For, the client
CASES = [
    ("203.0.113.5", None, "203.0.113.5"),
    ("203.0.113.5", "198.51.100.1", "203.0.113.5"),  # whoever is no proxy is not believed
    ("203.0.113.5", "10.0.0.1", "203.0.113.5"),
    ("10.1.2.3", None, "10.1.2.3"),
    ("10.1.2.3", "", "10.1.2.3"),
    ("10.1.2.3", "198.51.100.1", "198.51.100.1"),
    ("192.0.2.7", "198.51.100.1", "198.51.100.1"),
    ("192.0.2.8", "198.51.100.1", "192.0.2.8"),
    ("172.31.0.1", "198.51.100.1", "198.51.100.1"),
    ("2001:db8:1::5", "2001:db8:2::9", "2001:db8:2::9"),
    # What stands before the first address that is no proxy was written by the client.
    ("10.1.2.3", "198.51.100.66, 198.51.100.1", "198.51.100.1"),
    ("10.1.2.3", "198.51.100.66, 198.51.100.1, 10.9.9.9,192.0.2.7", "198.51.100.1"),
    ("10.1.2.3", "10.0.0.5, 10.0.0.6", "10.0.0.5"),
    ("10.1.2.3", "10.66.6.6, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
    # Ports, brackets, zones, spellings.
    ("10.1.2.3", "198.51.100.1:567", "198.51.100.1"),
    ("10.1.2.3", "[2001:db8:2::9]:80", "2001:db8:2::9"),
    ("10.1.2.3", "[2001:db8:2::9]", "2001:db8:2::9"),
    ("10.1.2.3", "2001:DB8:2:0:0:0:0:9", "2001:db8:2::9"),
    ("10.1.2.3", "198.51.100.1, 10.0.0.5:8080, [::ffff:10.0.0.7]:80", "198.51.100.1"),
    ("10.1.2.3", " \t198.51.100.1\t ", "198.51.100.1"),
    ("fe80::1%eth0", None, "fe80::1"),
    ("10.1.2.3", "fe80::1%<b>", "fe80::1"),
    ("::ffff:203.0.113.5", None, "203.0.113.5"),
    ("::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"),
    ("10.1.2.3", "::ffff:198.51.100.1", "198.51.100.1"),
    # A way past the proxies without a peer that has an address is not open.
    ("", "198.51.100.1", ""),
    ("", None, ""),
    ("nonsense", "198.51.100.1", ""),
]


@pytest.mark.parametrize(("peer", "forwarded", "client"), CASES)
def test_the_client_is_the_last_address_that_is_no_proxy(settings, peer, forwarded, client):
    settings.CMS_TRUSTED_PROXIES = PROXIES
    assert address(peer, forwarded) == client


GARBAGE = [
    "unknown", "_hidden", "-", "", " ", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4:",
    "1.2.3.4:x", "1.2.3.4:123456", "1.2.3.4 1.2.3.5", "::1]", "[::1", "[]", "[]:80", "[::1]80", "[::1]:",
    "2001:db8::9:", "1.2.3.4/8", "1.2.3.4%eth0", "0x1020304", "16909060", "١.٢.٣.٤", "1.2.3.4\x00", "\ud800",
    '"1.2.3.4"', "for=1.2.3.4", "unix", "1.2.3.4;1.2.3.5", "x" * 8000,
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE, ids=repr)
def test_nothing_is_believed_from_the_first_thing_that_is_no_address(settings, garbage):
    settings.CMS_TRUSTED_PROXIES = PROXIES
    assert address("10.1.2.3", garbage) == "10.1.2.3"
    assert address("10.1.2.3", f"198.51.100.66, {garbage}") == "10.1.2.3"
    assert address("10.1.2.3", f"198.51.100.66, {garbage}, 10.5.5.5") == "10.5.5.5"
    assert address("10.1.2.3", f"{garbage}, 198.51.100.1, 10.5.5.5") == "198.51.100.1"


def test_a_unix_socket_is_believed_only_where_the_setting_says_unix(settings):
    settings.CMS_TRUSTED_PROXIES = ["unix"]
    assert address("", "198.51.100.66, 198.51.100.1") == "198.51.100.1"
    assert address("", "198.51.100.66, nonsense") == ""
    assert address("") == ""
    assert address("10.1.2.3", "198.51.100.1") == "10.1.2.3"
    settings.CMS_TRUSTED_PROXIES = ["10.0.0.0/8", " unix "]
    assert address("", "198.51.100.1, 10.0.0.3") == "198.51.100.1"


def test_nobody_is_believed_by_default(settings):
    assert settings.CMS_TRUSTED_PROXIES == []
    assert address("127.0.0.1", "198.51.100.1") == "127.0.0.1"


def test_a_request_without_a_peer_has_no_address():
    assert client_address(SimpleNamespace(META={})) == ""
    assert client_address(SimpleNamespace(META={"REMOTE_ADDR": None})) == ""


@pytest.mark.parametrize(
    ("one", "network"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:2:3:4:5:6:7", "2001:db8:2:3::/64"),
        ("2001:db8:2:3:ffff::", "2001:db8:2:3::/64"),
        ("2001:db8:2:4::", "2001:db8:2:4::/64"),
        ("::1", "::/64"),
        ("", ""),
    ],
)
def test_an_ipv6_network_is_counted_as_one_client(one, network):
    assert network_of(one) == network


@pytest.mark.parametrize("wrong", ["10.0.0.256", "10.0.0.0/33", "10.0.0.1/8", "proxy.example", "Unix", "", "::/129"])
def test_an_entry_that_is_neither_address_nor_network_is_named(wrong):
    with pytest.raises(ValueError, match=f'^"{re.escape(wrong)}" is neither an address nor a network'):
        read_proxies(("10.0.0.1", wrong))
