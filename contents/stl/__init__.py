"""The endpoints `stl/*` of contents."""
