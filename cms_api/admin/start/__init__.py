"""The start page: panels that apps put there, each a few figures, rows or bars that lead to their lists."""
