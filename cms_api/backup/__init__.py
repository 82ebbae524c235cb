"""Backup of a whole installation into one file and restore on either engine (docs/backup.md)."""
