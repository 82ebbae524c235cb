"""The admin's frame: site, menu, look, languages, and the rights of each rank (docs/admin.md)."""
