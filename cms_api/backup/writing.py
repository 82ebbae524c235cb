"""Write a backup of the installation: secrets only as digests, settings only if they hold no secret."""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from django.conf import settings

from cms_api.backup.stored import stored_files, stored_tables
from core.archive.commands import Progress
from core.archive.manifest import Manifest, StoredInstallation
from core.archive.tables import Table
from core.archive.writing import ArchiveWriter
from core.lib.sealing import slow_digest
from server.serving import ENVIRONMENT as SERVER_ENVIRONMENT

# Settings of type text or list that hold no secret and no address with credentials; flags and numbers never do.
_PLAIN = {
    "CMS_ALLOWED_HOSTS",
    "CMS_CORS_ORIGINS",
    "CMS_EMBED_HOSTS",
    "CMS_LOCKOUT",
    "CMS_LOG_FORMAT",
    "CMS_LOG_LEVEL",
    "CMS_NODE_NAME",
    "CMS_PASSWORD_COMPOSITION",
    "CMS_REQUIRE_SECOND_FACTOR",
    "CMS_SQL_TABLES",
    "CMS_TIME_ZONE",
    "CMS_TRUSTED_PROXIES",
}
# The only columns with a file name; others hold addresses.
_AVATARS = {"accounts_user": "avatar_file", "accounts_administrator": "avatar_file"}


class BackupWriter(ArchiveWriter):
    """Writes all tables and files; `missing` lists the avatars that rows name but the storage lacks."""

    def __init__(self, file: BinaryIO, progress: Progress, *, with_media: bool) -> None:
        kept, not_kept = settings_of()
        salt = secrets.token_hex(16)
        installation = StoredInstallation(
            slow_digest(settings.SECRET_KEY, salt), digests_of_peppers(salt), salt, kept, not_kept
        )
        manifest = Manifest.begin(stored_tables(), with_media=with_media, installation=installation)
        super().__init__(file, manifest, progress)
        self.missing: list[str] = []

    def stored_files(self) -> Iterator[str]:
        return stored_files()

    def rows(self, table: Table) -> Iterator[Sequence[Sequence[Any]]]:
        place = None
        if table.name in _AVATARS and self.manifest.media.is_included:
            place = table.place_of(_AVATARS[table.name])
        for rows in super().rows(table):
            if place is not None:
                self.missing += [row[place] for row in rows if row[place] and row[place] not in self.names]
            yield rows


def digests_of_peppers(salt: str) -> dict[str, str]:
    return {pepper_id: slow_digest(secret, salt) for pepper_id, secret in settings.PASSWORD_PEPPERS.items()}


def settings_of(given: Mapping[str, str] = os.environ) -> tuple[dict[str, Any], list[str]]:
    """Return the configured values, as texts, and the names of the settings whose value may be secret."""
    kinds = {name: setting.type for name, setting in settings.ENVIRONMENT.items()}
    are_set = [name for name in (*kinds, *SERVER_ENVIRONMENT) if given.get(name, "").strip()]
    plain = _PLAIN | SERVER_ENVIRONMENT.keys() | {name for name, kind in kinds.items() if kind in (bool, int, float)}
    return {name: given[name] for name in are_set if name in plain}, [name for name in are_set if name not in plain]


def warnings(manifest: Manifest) -> Iterator[str]:
    """Yield a sentence for each secret that differs here; never the secret itself."""
    stored = manifest.require_installation()
    here = digests_of_peppers(stored.salt)
    missing = [name for name in stored.peppers if name not in here]
    other = [name for name in stored.peppers if name in here and stored.peppers[name] != here[name]]
    if missing:
        yield f"CMS_PASSWORD_PEPPERS lacks {', '.join(missing)}: passwords stored with them cannot be verified."
    if other:
        yield (
            f"CMS_PASSWORD_PEPPERS and the backup have different secrets for {', '.join(other)}: passwords stored "
            "with them cannot be verified."
        )
    if slow_digest(settings.SECRET_KEY, stored.salt) != stored.secret_key:
        yield (
            "CMS_SECRET_KEY differs from that of the backup: access tokens of users and administrators become invalid."
        )
