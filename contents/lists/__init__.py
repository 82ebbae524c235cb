"""Lists of contents: pages, cursors and derived tables."""
