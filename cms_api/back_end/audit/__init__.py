"""The audit in the back end: its list, its export, and the history of each record (docs/audit.md)."""
