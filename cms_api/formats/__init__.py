"""Formats of dates and numbers in the admin, by language."""
