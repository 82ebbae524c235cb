"""Lists of contents: by index where that is possible, by scan where rules are free; pages, cursors, derived tables."""
