"""Which addresses the service may send requests to: those of the public Internet, and of networks that are allowed."""

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from core.lib.errors import InvalidInput

_PORTS = {"http": 80, "https": 443}
_LEAST_FREE_PORT = 1024
_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_GLOBAL = ip_network("2000::/3")  # the part of IPv6 that the Internet uses
# Not private by their numbers, but they belong to networks of this machine or its provider.
_REFUSED = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # the host of a virtual machine at Azure
            "192.0.0.0/24",  # special purposes, among them the metadata at Oracle
            "192.88.99.0/24",  # relays of 6to4
            "2001::/32",  # Teredo, which contains an IPv4 address
            "2002::/16",  # 6to4, as well
        ),
    )
)


class AddressRefused(Exception):
    """The host is not reachable by the rules; the message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    scheme: str
    host: str  # without brackets
    port: int
    path: str  # with the query

    @property
    def authority(self) -> str:
        """The value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read_url(url: str, name: str, *, max_length: int, networks: Iterable[Network] = ()) -> Target:
    """Return the parts of the URL in the member `name`. Raises InvalidInput."""
    if len(url) > max_length or not re.fullmatch(r"[!-~]+", url):
        raise _invalid(name, f"at most {max_length} characters of ASCII without blanks")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _invalid(name, "a host and a port that can be read") from error
    if parts.scheme not in _PORTS:
        raise _invalid(name, "the scheme https or http")
    if set(url) & set("#\\") or "@" in parts.netloc:
        raise _invalid(name, "no user name, password, # or backslash")
    literal = _literal(host)
    if literal is None and not _HOST.fullmatch(host):
        raise _invalid(name, "a host name")
    port = _PORTS[parts.scheme] if port is None else port
    if port not in _PORTS.values() and port < _LEAST_FREE_PORT:
        raise _invalid(name, f"the port 80, 443, or one from {_LEAST_FREE_PORT}")
    if literal is not None and not is_allowed(literal, networks):
        raise InvalidInput("address_refused", f"The address {host} is not allowed.", member=name)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path)


def _invalid(name: str, expected: str) -> InvalidInput:
    return InvalidInput("url_invalid", f"{name} must have {expected}.", member=name)


def resolve(target: Target, networks: Iterable[Network] = ()) -> list[str]:
    """Return the numeric addresses of the host. Raises AddressRefused if one of them is refused, and OSError."""
    rows = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    found = list(dict.fromkeys(str(row[4][0]) for row in rows))
    for text in found:
        if not is_allowed(ip_address(text), networks):
            raise AddressRefused(f"{target.host} has the address {text}, which is not allowed.")
    return found


def is_allowed(address: Address, networks: Iterable[Network] = ()) -> bool:
    """Return true for an address of the public Internet or of these networks."""
    if _in_any(address, networks):
        return True
    is_special = not address.is_global or address.is_multicast or address.is_reserved
    is_outside = address.version == 6 and address not in _GLOBAL
    return not (is_special or is_outside or _in_any(address, _REFUSED))


@lru_cache(maxsize=8)
def read_networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    """Raises ValueError."""
    return tuple(ip_network(text.strip()) for text in texts)


def _in_any(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _literal(host: str) -> Address | None:
    try:
        return None if "%" in host else ip_address(host)  # a zone has no meaning on the Internet
    except ValueError:
        return None
