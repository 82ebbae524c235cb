"""The editor for texts of contents: form widgets, messages and the source of its script."""
