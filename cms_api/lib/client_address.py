"""Whose request it is, seen from the network."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network
UNIX = "unix"  # in CMS_TRUSTED_PROXIES: who comes through a Unix socket
# 1.2.3.4:567, [::1]:80, [::1]
_WITH_PORT = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?")
_MAPPED = IPv6Network("::ffff:0.0.0.0/96")
_ONE_CLIENT = 64  # bits of an IPv6 address that a client cannot choose itself


def client_address(request: HttpRequest) -> str:
    """The address of the client, past the proxies of CMS_TRUSTED_PROXIES; empty where there is none.

    Each proxy adds the address that it sees to the end of X-Forwarded-For, so the list is believed from its end as
    long as those who wrote it are trusted. What a client wrote itself stands before that.
    """
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    peer = request.META.get("REMOTE_ADDR") or ""
    found = _read(peer)
    if found in proxies or (not peer and proxies.unix):
        for entry in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            if (before := _read(entry.strip())) is None:
                break
            found = before
            if found not in proxies:
                break
    return str(found or "")


def came_through_proxy(request: HttpRequest) -> bool:
    """Whether whoever sent the request to this service is one of CMS_TRUSTED_PROXIES."""
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    peer = request.META.get("REMOTE_ADDR") or ""
    return _read(peer) in proxies or (not peer and proxies.unix)


def network_of(address: str) -> str:
    """What counts as one client: an IPv4 address, and the /64 network of an IPv6 address."""
    found = _read(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, _ONE_CLIENT), strict=False))
    return str(found or address)


@dataclass(frozen=True, slots=True)
class Proxies:
    """Whom CMS_TRUSTED_PROXIES names."""

    networks: tuple[_Network, ...]
    unix: bool

    def __contains__(self, address: _Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)


@lru_cache(maxsize=8)
def read_proxies(entries: Sequence[str]) -> Proxies:
    """The entries, read. Raises ValueError for one that is neither an address nor a network, nor `unix`."""
    texts = [entry.strip() for entry in entries]
    return Proxies(tuple(_network(text) for text in texts if text != UNIX), UNIX in texts)


def _network(text: str) -> _Network:
    try:
        network = ip_network(text)
    except ValueError as error:
        raise ValueError(f'"{text}" is neither an address nor a network: {error}.') from error
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        return ip_network((network.network_address.packed[-4:], network.prefixlen - _MAPPED.prefixlen))
    return network


def _read(text: str) -> _Address | None:
    """The address, without port and zone, and as IPv4 where it is one; None for what is no address."""
    parts = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((parts[1] or parts[2]) if parts else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or IPv6Address(int(address))
    return address
