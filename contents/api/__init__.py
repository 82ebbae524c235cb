"""The REST API of contents."""
