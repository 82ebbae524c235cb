"""Where pages find their style sheets and scripts."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files under names that hold a hash of what is in them, which browsers keep for good.

    A file that has not been collected is found under its plain name: in tests, and with CMS_DEBUG.
    """

    def stored_name(self, name: str) -> str:
        """The name of the file as it was collected."""
        collected: dict[str, str] = self.hashed_files
        return collected.get(self.hash_key(self.clean_name(name)), name)
