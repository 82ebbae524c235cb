"""Search by words, which triggers index."""
