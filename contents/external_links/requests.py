"""One request to another website: to checked addresses of the public Internet only, without a body, within limits."""

import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from urllib.parse import urljoin

from contents.external_links.addresses import ascii_address, target_of
from contents.models import LinkProblem
from core import __version__
from core.lib.pinned_connection import connecting
from core.lib.public_addresses import resolve

SECONDS = 10.0  # for all requests of a check
_MAX_REDIRECTS = 3
_MAX_WAIT = 7 * 86400  # seconds that a host may ask for
_GONE = (404, 410)
_HEADERS = {"User-Agent": f"cms-api/{__version__} (checks links)", "Accept": "*/*"}


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int | None = None  # None: no response
    problem: str = ""  # of LinkProblem
    wait: int = 0  # seconds that the host wants to be left alone


def request(address: str, method: str) -> Outcome:
    """Return what the host of the address responds; raises nothing."""
    try:
        return _request(address, method)
    except socket.gaierror as error:
        is_there = error.errno not in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
        return Outcome(problem=LinkProblem.UNKNOWN if is_there else LinkProblem.UNRESOLVED)
    except ssl.SSLError:
        return Outcome(problem=LinkProblem.UNKNOWN)
    except OSError:  # TimeoutError, too
        return Outcome(problem=LinkProblem.UNREACHABLE)
    except Exception:  # noqa: BLE001 - an address that is not allowed, or what a host may cause
        return Outcome(problem=LinkProblem.UNKNOWN)


def _request(address: str, method: str) -> Outcome:
    end, status = monotonic() + SECONDS, 0
    for _ in range(1 + _MAX_REDIRECTS):
        target = target_of(address)
        addresses = resolve(target)
        if (left := end - monotonic()) <= 0:
            raise TimeoutError
        with connecting(target, addresses, left) as connection:
            connection.request(method, target.path, headers={"Host": target.authority, **_HEADERS})
            response = connection.getresponse()
            connection.raise_if_over()
        status, location = response.status, response.getheader("Location")
        if not (300 <= status < 400 and location):
            return Outcome(status, _problem_of(status), _seconds(response.getheader("Retry-After", "")))
        address = ascii_address(urljoin(address, location))
    return Outcome(status, LinkProblem.UNKNOWN)


def _problem_of(status: int) -> str:
    if status in _GONE:
        return LinkProblem.GONE
    return "" if 200 <= status < 300 else LinkProblem.UNKNOWN


def _seconds(retry_after: str) -> int:
    if retry_after.isascii() and retry_after.isdigit():
        return min(int(retry_after[:9]), _MAX_WAIT)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0
    wait = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)
    return max(0, min(int(wait.total_seconds()), _MAX_WAIT))
