"""A whole site in one archive, for this or another installation (docs/site-files.md)."""
