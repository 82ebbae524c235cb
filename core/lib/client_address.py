import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network
UNIX = "unix"  # entry of CMS_TRUSTED_PROXIES for peers on a Unix socket
# 1.2.3.4:567, [::1]:80, [::1]
_WITH_PORT = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?")
_MAPPED = IPv6Network("::ffff:0.0.0.0/96")


def client_address(request: HttpRequest) -> str:
    """Return the client's address, seen through the proxies of CMS_TRUSTED_PROXIES; empty if there is none."""
    # Each proxy appends the address it sees to X-Forwarded-For; addresses that the client itself wrote come before
    # that.
    found = _read(request.META.get("REMOTE_ADDR") or "")
    if came_through_proxy(request):
        proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
        for entry in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            if (before := _read(entry.strip())) is None:
                break
            found = before
            if found not in proxies:
                break
    return str(found or "")


def came_through_proxy(request: HttpRequest) -> bool:
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    peer = request.META.get("REMOTE_ADDR") or ""
    return _read(peer) in proxies or (not peer and proxies.unix)


def network_of(address: str) -> str:
    """Return the address that counts as one client: an IPv4 address, or the /64 network of an IPv6 address."""
    found = _read(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, 64), strict=False))  # a client chooses the other bits itself
    return str(found or address)


@dataclass(frozen=True, slots=True)
class Proxies:
    networks: tuple[_Network, ...]
    unix: bool

    def __contains__(self, address: _Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)


@lru_cache(maxsize=8)
def read_proxies(entries: Sequence[str]) -> Proxies:
    """Parse the entries; raises ValueError for anything but an address, a network or `unix`."""
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
    """Return the address without port and zone, as IPv4 if it is a mapped one; None if it is not an address."""
    parts = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((parts[1] or parts[2]) if parts else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or IPv6Address(int(address))
    return address
