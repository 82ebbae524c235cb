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
from cms_api.operation.serving import ENVIRONMENT as SERVER
from cms_api.replicas.checks import wrong_replicas

_MAX_NODE_NAME = 255
_MAX_DAYS = 36_500
MAX_VERSIONS = 1_000_000  # of a content
_RANGES: dict[str, tuple[float, int | None]] = {
    "CMS_AUDIT_DAYS": (1, _MAX_DAYS),
    "CMS_EVENT_DAYS": (1, _MAX_DAYS),
    "CMS_HISTORY_DAYS": (0, _MAX_DAYS),
    "CMS_HISTORY_VERSIONS": (0, MAX_VERSIONS),
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
    "CMS_TRASH_DAYS": (1, _MAX_DAYS),
    "CMS_VISIT_MINUTES": (0, 24 * 60),
}
_LEAST_SECRET = 32  # characters of a secret that cannot be guessed


def check_settings(**_: Any) -> list[CheckMessage]:
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


def _wrong_numbers() -> Iterator[str]:
    # Stored under Django's name.
    other_names = {"CMS_MAX_BODY_BYTES": "DATA_UPLOAD_MAX_MEMORY_SIZE"}
    for name, (least, most) in _RANGES.items():
        value = getattr(settings, other_names.get(name, name))
        if value < least or (most is not None and value > most):
            allowed = f"{least} or more" if most is None else f"a number from {least} to {most}"
            yield f"{name} must be {allowed}, not {value}."


def _wrong_embed_hosts() -> Iterator[str]:
    for host in settings.CMS_EMBED_HOSTS:
        if not re.fullmatch(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+", host):
            yield f'CMS_EMBED_HOSTS: "{host}" is not a host name such as video.example.com.'


def is_dsn(text: str) -> bool:
    return bool(re.fullmatch(r"https?://[^\s/@:]+(:[^\s/@:]+)?@[^\s/@]+(/[^\s/]+)*/[0-9]+", text))


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
    """Warn if the admin has no style sheets; with `--deploy`, and in the log at start."""
    if settings.DEBUG or (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
        return []
    told = "The style sheets and scripts of the admin have not been collected."
    return [Warning(told, hint="Run manage.py collectstatic.", id="cms_api.W005")]


def check_weak_settings(**_: Any) -> list[CheckMessage]:
    """Warn of valid but weak settings, without showing secrets; with `--deploy`, and in the log at start."""
    return [Warning(told, hint=hint, id="cms_api.W006") for told, hint in _weak()]


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
    threads = os.environ.get("CMS_THREADS", "").strip() or str(SERVER["CMS_THREADS"].default)
    if threads.isdecimal() and int(threads) <= settings.CMS_SQL_SLOTS:
        told = f"CMS_SQL_SLOTS ({settings.CMS_SQL_SLOTS}) is not below CMS_THREADS ({threads})"
        yield (
            f"{told}: SQL statements of clients can occupy every thread of a worker.",
            "Lower the slots or raise the threads.",
        )


def _unwise() -> list[CheckMessage]:
    proxies = read_proxies(tuple(settings.CMS_TRUSTED_PROXIES))
    everybody = [network for network in proxies.networks if network.prefixlen == 0]
    hint = "List only the addresses of your proxies."
    told = "CMS_TRUSTED_PROXIES has {}: every client can claim any address and so evade limits per address."
    return [Warning(told.format(network), hint=hint, id="cms_api.W004") for network in everybody]
