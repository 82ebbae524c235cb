"""What a backup tells of the installation that it is of: its secrets by digests, its settings without secrets."""

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings

from cms_api.operation.backup.manifest import Manifest
from cms_api.operation.serving.environment import ENVIRONMENT as SERVER_ENVIRONMENT

# Texts and lists may hold a secret, or an address with one, unless they stand here; flags and numbers cannot.
_PLAIN = {
    "CMS_ALLOWED_HOSTS",
    "CMS_CORS_ORIGINS",
    "CMS_EMBED_HOSTS",
    "CMS_LOCKOUT",
    "CMS_LOG_FORMAT",
    "CMS_LOG_LEVEL",
    "CMS_NODE_NAME",
    "CMS_PASSWORD_COMPOSITION",
    "CMS_SQL_TABLES",
    "CMS_TIME_ZONE",
    "CMS_TRUSTED_PROXIES",
}


def digest(secret: str, salt: str) -> str:
    """What tells whether a secret is the same; so dear to compute that even a short secret is not found by trying."""
    return hashlib.scrypt(secret.encode(), salt=salt.encode(), n=2**14, r=8, p=1, dklen=16).hex()


def digests_of_peppers(salt: str) -> dict[str, str]:
    """Of each pepper, by its id."""
    return {pepper_id: digest(secret, salt) for pepper_id, secret in settings.PASSWORD_PEPPERS.items()}


def settings_of(given: Mapping[str, str] = os.environ) -> tuple[dict[str, Any], list[str]]:
    """The values that were set, as texts, and the names of those whose value may be a secret."""
    kinds = {name: kind for name, (kind, _) in settings.ENVIRONMENT.items()}
    are_set = [name for name in (*kinds, *SERVER_ENVIRONMENT) if given.get(name, "").strip()]
    plain = _PLAIN | SERVER_ENVIRONMENT.keys() | {name for name, kind in kinds.items() if kind in (bool, int, float)}
    return {name: given[name] for name in are_set if name in plain}, [name for name in are_set if name not in plain]


def code_commit() -> str:
    """The commit of the code that runs; empty where it did not come by git."""
    command = ["git", "-C", str(settings.BASE_DIR), "rev-parse", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)  # noqa: S603 - our own
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def warnings(manifest: Manifest) -> Iterator[str]:
    """A sentence for each thing that whoever restores should know; no secret is in any."""
    present = digests_of_peppers(manifest.salt)
    missing = [name for name in manifest.peppers if name not in present]
    other = [name for name in manifest.peppers if name in present and manifest.peppers[name] != present[name]]
    if missing:
        yield f"CMS_PASSWORD_PEPPERS lacks {', '.join(missing)}: passwords that were stored with them do not verify."
    if other:
        yield (
            f"CMS_PASSWORD_PEPPERS has another secret than the backup for {', '.join(other)}: passwords that were "
            "stored with them do not verify."
        )
    if digest(settings.SECRET_KEY, manifest.salt) != manifest.secret_key:
        yield "CMS_SECRET_KEY is not that of the backup: access tokens of users and administrators end."
    if manifest.time_zone != settings.TIME_ZONE:
        yield (
            f"CMS_TIME_ZONE is {settings.TIME_ZONE}, and was {manifest.time_zone}: times are restored as the wall "
            "clock showed them there."
        )
