import os
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ImproperlyConfigured

from cms_api.environment import CONSTANTS, ENVIRONMENT
from core.admin.static_files import is_collected
from core.lib.client_address import read_proxies
from core.lib.environment import HINT, is_dsn
from core.replicas.checks import wrong_replicas
from server.serving import ENVIRONMENT as SERVER
from server.serving import read_settings

_MAX_NODE_NAME = 255
_LEAST_SECRET = 32  # characters of a secret that cannot be guessed
_OF_TESTS = ("CMS_TEST_", "CMS_COVERAGE_")  # variables of this project's tests
_ADDRESS = r"https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:[0-9]{1,5})?(/[^\s?#]*)?"


def check_settings(**_: Any) -> list[CheckMessage]:
    finders = (
        _wrong_watch,
        _wrong_proxies,
        _wrong_cache,
        wrong_replicas,
        _wrong_embed_hosts,
        _wrong_rendition_widths,
        _wrong_server,
    )
    problems = [problem for find in finders for problem in find()]
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
    # The messages omit the address and the library's error, since they may contain a password.
    if not url:
        return
    if not url.startswith(("redis://", "rediss://", "unix://")):
        yield "CMS_CACHE_URL must begin with redis://, rediss:// or unix://."
        return
    try:
        # The library treats a non-numeric database as the first one.
        can_be_read = url.startswith("unix://") or bool(re.fullmatch("/?|/[0-9]+", urlsplit(url).path))
        # Validates the options without connecting.
        redis.ConnectionPool.from_url(url).make_connection()
    # TypeError: an unknown option.
    except (ValueError, redis.RedisError, OSError, TypeError):
        can_be_read = False
    if not can_be_read:
        yield "CMS_CACHE_URL cannot be read: its port, its database number or one of its options is wrong."


def _wrong_embed_hosts() -> Iterator[str]:
    for host in settings.CMS_EMBED_HOSTS:
        if not re.fullmatch(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+", host):
            yield f'CMS_EMBED_HOSTS: "{host}" is not a host name such as video.example.com.'


def _wrong_rendition_widths() -> Iterator[str]:
    for width in settings.CMS_RENDITION_WIDTHS:
        if not re.fullmatch("[1-9][0-9]{0,3}", width):
            yield f'CMS_RENDITION_WIDTHS: "{width}" is not a number of pixels from 1 to 9999.'


def _wrong_server() -> Iterator[str]:
    """Check settings that only the server reads, so that commands report problems before a restart."""
    try:
        host = read_settings()["CMS_BIND_HOST"]
    except ImproperlyConfigured as error:
        yield str(error)
        return
    if not host.startswith("unix:") and not _bind_addresses(host):
        yield f"CMS_BIND_HOST must be an address or a name that can be resolved, not {host!r}."


def _bind_addresses(host: str) -> list[Any]:
    try:
        return socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return []


def _wrong_watch() -> Iterator[str]:
    """Check logs, metrics and node name. Values are not shown, since a misplaced one may be a secret."""
    if settings.CMS_LOG_FORMAT not in {"line", "json"}:
        yield "CMS_LOG_FORMAT must be line or json."
    if not settings.CMS_NODE_NAME.isprintable() or len(settings.CMS_NODE_NAME) > _MAX_NODE_NAME:
        yield f"CMS_NODE_NAME must be a name of at most {_MAX_NODE_NAME} characters."
    if settings.CMS_METRICS_TOKEN and not re.fullmatch("[!-~]{20,}", settings.CMS_METRICS_TOKEN):
        yield "CMS_METRICS_TOKEN must consist of at least 20 characters from ! to ~."
    if settings.CMS_SENTRY_DSN and not is_dsn(settings.CMS_SENTRY_DSN):
        yield "CMS_SENTRY_DSN must be a URL such as https://key@host/1."


def check_static_files(**_: Any) -> list[CheckMessage]:
    """Warn if the admin has no style sheets, or some of other code; with `--deploy`, and in the log at start."""
    if settings.DEBUG or is_collected():
        return []
    told = "The style sheets and scripts of this code have not been collected."
    hint = "Run manage.py collectstatic. A start and a restart do it, too."
    return [Warning(told, hint=hint, id="cms_api.W005")]


def check_weak_settings(**_: Any) -> list[CheckMessage]:
    """Find valid but weak settings, without showing secrets; with `--deploy`, and in the log at start."""
    return [
        *(Error(told, hint=hint, id="cms_api.E002") for told, hint in _unfit()),
        *(Warning(told, hint=hint, id="cms_api.W006") for told, hint in _weak()),
    ]


def _unfit() -> Iterator[tuple[str, str]]:
    if settings.DEBUG:
        told = "CMS_DEBUG is on: whoever causes an error sees code and settings, and memory grows with each statement."
        yield told, "Remove CMS_DEBUG, and restart with systemctl restart."
    if not set(settings.ALLOWED_HOSTS) - set(settings.CMS_SITE_HOSTS):
        yield "CMS_ALLOWED_HOSTS is empty, so every request gets a 400.", "List the host names of the service."


def _weak() -> Iterator[tuple[str, str]]:
    if "*" in settings.ALLOWED_HOSTS:
        told = "CMS_ALLOWED_HOSTS has *: the service accepts any host name, so clients can put their own into links."
        yield told, "List the host names under which clients reach the service."
    secrets = {"CMS_SECRET_KEY": settings.SECRET_KEY}
    secrets |= {
        f'The pepper "{name}" of CMS_PASSWORD_PEPPERS': text for name, text in settings.PASSWORD_PEPPERS.items()
    }
    for name, secret in secrets.items():
        if len(secret) < _LEAST_SECRET or len(set(secret)) < 8:
            told = f"{name} can be guessed; it should have at least {_LEAST_SECRET} random characters."
            yield told, "Generate one with deploy/make_secrets.sh; keep old peppers after the new one in the list."
    with suppress(ImproperlyConfigured):  # an error of its own
        yield from _weak_server()
    if settings.CMS_ADMIN_URL and not re.fullmatch(_ADDRESS, settings.CMS_ADMIN_URL):
        yield "CMS_ADMIN_URL is no address, so links in e-mails lead nowhere.", "Write it like https://cms.example.org."
    if settings.SECURE_SSL_REDIRECT and not settings.CMS_TRUSTED_PROXIES:
        told = "CMS_SECURE needs a proxy, but CMS_TRUSTED_PROXIES is empty"
        yield (
            f"{told}: all clients count as one, so that failed sign-ins of one of them lock out everyone.",
            "Set it to the address of the proxy.",
        )
    known = [*ENVIRONMENT, *SERVER]
    for name in sorted(os.environ):
        if name in CONSTANTS:
            yield f"{name} is no longer a setting and has no effect; the value is {CONSTANTS[name]}.", "Remove it."
        elif name.upper().startswith("CMS_") and name not in known and not name.startswith(_OF_TESTS):
            nearest = get_close_matches(name.upper(), known, 1)
            hint = f"Did you mean {nearest[0]}?" if nearest else "Remove it; docs/reference/settings.md lists all."
            yield f"{name} is not a setting of this service and has no effect.", hint


def _weak_server() -> Iterator[tuple[str, str]]:
    given = read_settings()
    threads, host = given["CMS_THREADS"], given["CMS_BIND_HOST"]
    if threads <= settings.CMS_SQL_SLOTS:
        told = f"CMS_SQL_SLOTS ({settings.CMS_SQL_SLOTS}) is not below CMS_THREADS ({threads})"
        yield (
            f"{told}: SQL statements of clients can occupy every thread of a worker.",
            "Lower the slots or raise the threads.",
        )
    for family, kind, _protocol, _name, address in _bind_addresses(host)[:1]:
        with socket.socket(family, kind) as probe:
            try:
                probe.bind((address[0], 0))
            except OSError:
                told = f"CMS_BIND_HOST is not an address of this machine, so the server cannot start here: {host}."
                yield told, "Set it to 127.0.0.1 or to the address at which the proxy reaches this machine."


def _unwise() -> list[CheckMessage]:
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    everybody = [network for network in proxies.networks if network.prefixlen == 0]
    hint = "List only the addresses of your proxies."
    told = "CMS_TRUSTED_PROXIES has {}: every client can claim any address and so evade limits per address."
    return [Warning(told.format(network), hint=hint, id="cms_api.W004") for network in everybody]
