"""Keeps a whole installation in one file, and brings it back, on either engine (docs/backup.md)."""
