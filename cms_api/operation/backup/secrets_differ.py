"""What will not work after a restore, because secrets or settings here are not those of the backup."""

from collections.abc import Iterator

from django.conf import settings

from cms_api.operation.backup import installation
from cms_api.operation.backup.manifest import Manifest


def warnings(manifest: Manifest) -> Iterator[str]:
    """A sentence for each thing that whoever restores should know; no secret is in any."""
    present = installation.digests_of_peppers(manifest.salt)
    missing = [name for name in manifest.peppers if name not in present]
    other = [name for name in manifest.peppers if name in present and manifest.peppers[name] != present[name]]
    if missing:
        yield f"CMS_PASSWORD_PEPPERS lacks {', '.join(missing)}: passwords that were stored with them do not verify."
    if other:
        yield (
            f"CMS_PASSWORD_PEPPERS has another secret than the backup for {', '.join(other)}: passwords that were "
            "stored with them do not verify."
        )
    if installation.digest(settings.SECRET_KEY, manifest.salt) != manifest.secret_key:
        yield "CMS_SECRET_KEY is not that of the backup: access tokens of users and administrators end."
    if manifest.time_zone != settings.TIME_ZONE:
        yield (
            f"CMS_TIME_ZONE is {settings.TIME_ZONE}, and was {manifest.time_zone}: times are restored as the wall "
            "clock showed them there."
        )
