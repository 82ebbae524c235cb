from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files with hashed names; files that were not collected (tests, CMS_DEBUG) keep their plain name."""

    def stored_name(self, name: str) -> str:
        collected: dict[str, str] = self.hashed_files
        return collected.get(self.hash_key(self.clean_name(name)), name)
