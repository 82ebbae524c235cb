"""Records from and to tables: files of spreadsheets, read with a preview and written while they are sent."""
