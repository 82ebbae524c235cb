"""The wire form of contents."""
