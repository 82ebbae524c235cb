"""The editor for texts of contents: its form widgets, the words it speaks, and the source of its script."""
