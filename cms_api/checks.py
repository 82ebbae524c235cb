"""System checks of the settings of the service: an error stops the server and the commands."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from cms_api.lib.client_address import read_proxies
from cms_api.lib.environment import HINT
from cms_api.operation.serving.environment import ENVIRONMENT as SERVER
from cms_api.replicas.checks import wrong_replicas

_MAX_NODE_NAME = 255
_MOST_DAYS = 36_500
MOST_VERSIONS = 1_000_000  # of a content
# The least and the most that a setting may be; None: any number above.
_RANGES: dict[str, tuple[float, int | None]] = {
    "CMS_AUDIT_DAYS": (1, _MOST_DAYS),
    "CMS_HISTORY_DAYS": (0, _MOST_DAYS),
    "CMS_HISTORY_VERSIONS": (0, MOST_VERSIONS),
    "CMS_IMPORT_MAX_BYTES": (1, 1024**3),
    "CMS_IMPORT_MAX_ROWS": (1, 1_000_000),
    "CMS_JOBS_AT_ONCE": (0, 16),
    "CMS_MAX_BODY_BYTES": (1024, None),
    "CMS_MAX_CUSTOM_FIELD_BYTES": (1024, None),
    "CMS_MAX_IN_VALUES": (0, None),
    "CMS_MAX_NAMES": (0, None),
    "CMS_MAX_PER_PAGE": (1, None),
    "CMS_MAX_RULES": (0, None),
    "CMS_MIN_FREE_DISK_PERCENT": (0, 90),
    "CMS_PACKAGE_MAX_BYTES": (1, None),
    "CMS_PICTURE_MAX_PIXELS": (1000, 200_000_000),
    "CMS_PICTURE_SIDE": (16, 16_000),
    "CMS_RESTART_MIN_SECONDS": (0, None),
    "CMS_SESSION_MINUTES": (1, settings.SESSION_END_SECONDS // 60),
    "CMS_SLOW_STATEMENT_MILLISECONDS": (0, None),
    "CMS_STATEMENT_SECONDS": (0.01, None),
    "CMS_STORED_ANSWERS": (1, None),
    "CMS_STORED_ANSWERS_BYTES": (1, None),
    "CMS_TRASH_DAYS": (1, _MOST_DAYS),
}
_OTHER_NAMES = {"CMS_MAX_BODY_BYTES": "DATA_UPLOAD_MAX_MEMORY_SIZE"}  # in Django's settings
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+")
_LOG_FORMATS = ("line", "json")
_METRICS_TOKEN = re.compile(r"[!-~]{20,}")
_DSN = re.compile(r"https?://[^\s/@:]+(:[^\s/@:]+)?@[^\s/@]+(/[^\s/]+)*/[0-9]+")
_LEAST_SECRET, _LEAST_DIFFERENT = 32, 8  # characters of a secret that cannot be guessed
_CACHE_SCHEMES = ("redis://", "rediss://", "unix://")


def check_settings(**_: Any) -> list[CheckMessage]:
    """An error for each setting that is wrong, and a warning for one that is unwise."""
    finders = (_wrong_numbers, _wrong_watch, _wrong_proxies, _wrong_cache, wrong_replicas, _wrong_embed_hosts)
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
    # Neither the address nor the library's words about it are shown, since it may hold a password.
    if url and not url.startswith(_CACHE_SCHEMES):
        yield f"CMS_CACHE_URL has to begin with {', '.join(_CACHE_SCHEMES[:-1])} or {_CACHE_SCHEMES[-1]}."
    elif url and not _can_be_read(url):
        yield "CMS_CACHE_URL cannot be read: its port, its number of the database or one of its options is wrong."


def _can_be_read(url: str) -> bool:
    try:
        # The library takes a database that is no number for the first one.
        if not url.startswith("unix://") and not re.fullmatch("/?|/[0-9]+", urlsplit(url).path):
            return False
        # Which connects to nothing yet.
        redis.ConnectionPool.from_url(url).make_connection()
    # The last one is what an option raises that there is not.
    except (ValueError, redis.RedisError, OSError, TypeError):
        return False
    return True


def _wrong_numbers() -> Iterator[str]:
    for name, (least, most) in _RANGES.items():
        value = getattr(settings, _OTHER_NAMES.get(name, name))
        if value < least or (most is not None and value > most):
            allowed = f"{least} or more" if most is None else f"a number from {least} to {most}"
            yield f"{name} must be {allowed}, and is {value}."


def _wrong_embed_hosts() -> Iterator[str]:
    for host in settings.CMS_EMBED_HOSTS:
        if not _HOST.fullmatch(host):
            yield f'CMS_EMBED_HOSTS: "{host}" is not the name of a host, such as video.example.com.'


def is_dsn(text: str) -> bool:
    """Return true if the text looks like a Sentry DSN: https://key@host/project."""
    return bool(_DSN.fullmatch(text))


def _wrong_watch() -> Iterator[str]:
    """Of logs, metrics and nodes. No secret is shown: what stands in the wrong place may be one."""
    if settings.CMS_LOG_FORMAT not in _LOG_FORMATS:
        yield f"CMS_LOG_FORMAT must be {' or '.join(_LOG_FORMATS)}."
    if not settings.CMS_NODE_NAME.isprintable() or len(settings.CMS_NODE_NAME) > _MAX_NODE_NAME:
        yield f"CMS_NODE_NAME must be a name of at most {_MAX_NODE_NAME} characters."
    if settings.CMS_METRICS_TOKEN and not _METRICS_TOKEN.fullmatch(settings.CMS_METRICS_TOKEN):
        yield "CMS_METRICS_TOKEN must be at least 20 characters, of those from ! to ~."
    if settings.CMS_SENTRY_DSN and not is_dsn(settings.CMS_SENTRY_DSN):
        yield "CMS_SENTRY_DSN must be an address such as https://key@host/1."


def check_static_files(**_: Any) -> list[CheckMessage]:
    """A warning where the back end would have no style sheets: with `--deploy`, and in the log at start."""
    if settings.DEBUG or (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
        return []
    told = "The style sheets and scripts of the back end have not been collected."
    return [Warning(told, hint="Run manage.py collectstatic.", id="cms_api.W005")]


def check_weak_settings(**_: Any) -> list[CheckMessage]:
    """A warning for each setting that is possible and weak: with `--deploy`, and in the log at start."""
    return [Warning(told, hint=hint, id="cms_api.W006") for told, hint in _weak()]


def _weak() -> Iterator[tuple[str, str]]:
    """Yield each weak setting and its remedy, without showing a secret."""
    if "*" in settings.ALLOWED_HOSTS:
        told = "CMS_ALLOWED_HOSTS has *: the service answers under any name, which clients can put into links."
        yield told, "Name the hosts under which the service is reached."
    secrets = {"CMS_SECRET_KEY": settings.SECRET_KEY}
    secrets |= {
        f'The pepper "{name}" of CMS_PASSWORD_PEPPERS': text for name, text in settings.PASSWORD_PEPPERS.items()
    }
    for name, secret in secrets.items():
        if len(secret) < _LEAST_SECRET or len(set(secret)) < _LEAST_DIFFERENT:
            told = f"{name} can be guessed; it should have {_LEAST_SECRET} random characters or more."
            yield told, "Make one with deploy/make_secrets.sh; keep old peppers behind the new one in the list."
    threads = os.environ.get("CMS_THREADS", "").strip() or SERVER["CMS_THREADS"]
    if threads.isdecimal() and int(threads) <= settings.CMS_SQL_SLOTS:
        told = f"CMS_SQL_SLOTS ({settings.CMS_SQL_SLOTS}) is not below CMS_THREADS ({threads})"
        yield (
            f"{told}: statements of clients can take every thread of a worker.",
            "Lower the slots or raise the threads.",
        )


def _unwise() -> list[CheckMessage]:
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    everybody = [network for network in proxies.networks if network.prefixlen == 0]
    hint = "Name the addresses of your proxies only."
    told = "CMS_TRUSTED_PROXIES has {}: every client can claim any address, and limits by address do not hold."
    return [Warning(told.format(network), hint=hint, id="cms_api.W004") for network in everybody]
