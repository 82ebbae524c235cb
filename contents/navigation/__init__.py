"""The addresses of contents, and the counts of channels that depend on contents."""
