"""Writing contents: inserting, overwriting, locking, history."""
