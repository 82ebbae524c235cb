"""System checks of the settings of proxies, the cache and restarts: an error stops the server and the commands."""

from collections.abc import Callable, Iterator
from typing import Any

import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from cms_api.lib.environment import HINT
from cms_api.rest.client_address import read_proxies

_MAX_NODE_NAME = 255
_MOST_DAYS = 36_500
_CACHE_SCHEMES = ("redis://", "rediss://", "unix://")


def check_settings(**_: Any) -> list[CheckMessage]:
    """An error for each setting that is wrong, and a warning for one that is unwise."""
    problems = [problem for find in _FINDERS for problem in find()]
    errors: list[CheckMessage] = [Error(problem, hint=HINT, id="cms_api.E001") for problem in problems]
    return errors or _unwise()


def _wrong_proxies() -> Iterator[str]:
    for entry in settings.CMS_TRUSTED_PROXIES:
        try:
            read_proxies((entry,))
        except ValueError as error:
            yield f"CMS_TRUSTED_PROXIES: {error}"


def _wrong_cache() -> Iterator[str]:
    url: str = settings.CMS_CACHE_URL
    # Neither the address nor the library's words about it are shown, since it may hold a password.
    if url and not url.startswith(_CACHE_SCHEMES):
        yield f"CMS_CACHE_URL has to begin with {', '.join(_CACHE_SCHEMES[:-1])} or {_CACHE_SCHEMES[-1]}."
    elif url and not _can_be_read(url):
        yield "CMS_CACHE_URL cannot be read: its port, its number of the database or one of its options is wrong."


def _can_be_read(url: str) -> bool:
    try:
        # Which connects to nothing yet.
        redis.ConnectionPool.from_url(url).make_connection()
    # The last one is what an option raises that there is not.
    except (ValueError, redis.RedisError, OSError, TypeError):
        return False
    return True


def _wrong_restarts() -> Iterator[str]:
    if settings.CMS_RESTART_MIN_SECONDS < 0:
        yield f"CMS_RESTART_MIN_SECONDS must not be below 0, and is {settings.CMS_RESTART_MIN_SECONDS:g}."
    if not settings.CMS_NODE_NAME.isprintable() or len(settings.CMS_NODE_NAME) > _MAX_NODE_NAME:
        yield f"CMS_NODE_NAME must be a name of at most {_MAX_NODE_NAME} characters."


def _wrong_session() -> Iterator[str]:
    most = settings.SESSION_END_SECONDS // 60
    if not 1 <= settings.CMS_SESSION_MINUTES <= most:
        yield f"CMS_SESSION_MINUTES must be a number from 1 to {most}, and is {settings.CMS_SESSION_MINUTES}."


def _wrong_ages() -> Iterator[str]:
    for name in ("CMS_TRASH_DAYS", "CMS_AUDIT_DAYS"):
        if not 1 <= (days := getattr(settings, name)) <= _MOST_DAYS:
            yield f"{name} must be a number from 1 to {_MOST_DAYS}, and is {days}."


_FINDERS: tuple[Callable[[], Iterator[str]], ...] = (
    _wrong_session,
    _wrong_proxies,
    _wrong_cache,
    _wrong_restarts,
    _wrong_ages,
)


def _unwise() -> list[CheckMessage]:
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    everybody = [network for network in proxies.networks if network.prefixlen == 0]
    hint = "Name the addresses of your proxies only."
    told = "CMS_TRUSTED_PROXIES has {}: every client can claim any address, and limits by address do not hold."
    return [Warning(told.format(network), hint=hint, id="cms_api.W004") for network in everybody]
