"""The frame of the back end: its site, menu, look, languages, and what each rank may see and do (docs/back-end.md)."""
