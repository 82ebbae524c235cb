"""Which addresses deliveries may go to: receivers of the public Internet, and of CMS_WEBHOOK_NETWORKS."""

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings

from core.lib.errors import InvalidInput

MAX_URL = 500  # characters
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
    """The receiver is not reachable by the rules; the message says why."""


@dataclass(frozen=True, slots=True)
class Receiver:
    scheme: str
    host: str  # without brackets
    port: int
    target: str  # path and query

    @property
    def authority(self) -> str:
        """The value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read_url(url: str) -> Receiver:
    """Return the parts of a webhook's URL. Raises InvalidInput."""
    if len(url) > MAX_URL or not re.fullmatch(r"[!-~]+", url):
        raise _invalid(f"at most {MAX_URL} characters of ASCII without blanks")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _invalid("a host and a port that can be read") from error
    if parts.scheme not in _PORTS:
        raise _invalid("the scheme https or http")
    if set(url) & set("#\\") or "@" in parts.netloc:
        raise _invalid("no user name, password, # or backslash")
    literal = _literal(host)
    if literal is None and not _HOST.fullmatch(host):
        raise _invalid("a host name")
    port = _PORTS[parts.scheme] if port is None else port
    if port not in _PORTS.values() and port < _LEAST_FREE_PORT:
        raise _invalid(f"the port 80, 443, or one from {_LEAST_FREE_PORT}")
    if literal is not None and not is_allowed(literal):
        raise InvalidInput("address_refused", f"The address {host} is not allowed.", member="url")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Receiver(parts.scheme, host, port, target)


def _invalid(expected: str) -> InvalidInput:
    return InvalidInput("url_invalid", f"url must have {expected}.", member="url")


def resolve(host: str, port: int) -> list[str]:
    """Return the numeric addresses of the host. Raises AddressRefused if one of them is refused, and OSError."""
    found = list(dict.fromkeys(str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    for text in found:
        if not is_allowed(ip_address(text)):
            raise AddressRefused(f"{host} has the address {text}, which is not allowed (CMS_WEBHOOK_NETWORKS).")
    return found


def is_allowed(address: Address) -> bool:
    if _in_any(address, allowed_networks(tuple(settings.CMS_WEBHOOK_NETWORKS))):
        return True
    is_special = not address.is_global or address.is_multicast or address.is_reserved
    is_outside = address.version == 6 and address not in _GLOBAL
    return not (is_special or is_outside or _in_any(address, _REFUSED))


@lru_cache(maxsize=8)
def allowed_networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    """Raises ValueError."""
    return tuple(ip_network(text.strip()) for text in texts)


def _in_any(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
