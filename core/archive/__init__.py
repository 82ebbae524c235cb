"""The file of an installation or a site: a tar with a manifest and checksums (docs/backup.md)."""
